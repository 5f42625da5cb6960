"""Choosing a judge by its name. Nothing is loaded before it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from growbox_tui.models.factory import full_name
from growbox_tui.models.judges.asking import AskingJudge
from growbox_tui.models.judges.likelihood import LikelihoodJudge
from growbox_tui.models.judges.scripted import ScriptedJudge
from growbox_tui.models.protocol import Model

AnyJudge = AskingJudge | LikelihoodJudge | ScriptedJudge
BUNDLED = "local/bundled"


def judge_of(name: str, open_voice: Callable[[str], Model]) -> AnyJudge:
    """The judge of a name: empty or ``local/bundled`` is the bundled model by likelihood,
    ``likelihood/FILE.gguf`` another one so, ``script/FILE`` a scripted one; any other voice is
    asked in words. Raises ``UnknownModel``."""
    name = name.strip()
    kind, _, rest = name.partition("/")
    if kind == "likelihood" and rest:
        return LikelihoodJudge(Path(rest).expanduser())
    full = full_name(name) if name else BUNDLED
    if full == BUNDLED:
        return LikelihoodJudge()
    if full.startswith("script/"):
        return ScriptedJudge.load(Path(full.partition("/")[2]).expanduser())
    return AskingJudge(full, lambda: open_voice(full))
