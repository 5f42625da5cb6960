"""Mentions: ``@path`` in the user's words puts that file's text into the message."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_MENTION = re.compile(r"""(?<![\w@])@(?:"([^"\n]+)"|([^\s@"'`,;:!?，。；：！？、）)\]}]+))""")


@dataclass(frozen=True, slots=True)
class Attached:
    """A mentioned file, or why it could not be read."""

    path: str
    text: str
    problem: str = ""


def mentioned(text: str) -> tuple[str, ...]:
    """The paths that a text mentions, in order, each once. ``a@b.c`` is no mention."""
    paths = [quoted or bare.rstrip(".") for quoted, bare in _MENTION.findall(text)]
    return tuple(dict.fromkeys(path for path in paths if path))


def attach(text: str, read: Callable[[str], str], limit: int) -> tuple[Attached, ...]:
    """The mentioned files. ``read`` raises ``OSError`` or ``ValueError`` for what it cannot give.

    Args:
        text: the user's words.
        read: from a path to the file's text.
        limit: characters that all files may take together; what is over is cut at the end.
    """
    attached = []
    for path in mentioned(text):
        try:
            body = read(path)
        except (OSError, ValueError) as error:
            attached.append(Attached(path, "", str(error)))
            continue
        if len(body) > limit:
            left = len(body) - limit
            body = f"{body[:limit]}\n[… {left} more characters; read_file gives them]"
        limit = max(0, limit - len(body))
        attached.append(Attached(path, body))
    return tuple(attached)


def as_block(attached: Attached) -> str:
    """A mentioned file as the model reads it."""
    return f'<file path="{attached.path}">\n{attached.text}\n</file>'
