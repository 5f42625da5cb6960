"""Project instructions: what ``AGENTS.md`` says, frozen into the prompt when an epoch begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Tried in this order; the first that exists in a folder counts."""
LIMIT = 24_000
"""Characters of all instructions together."""
MORE = "\n[cut here: the file goes on]"
UNREAD = "[not read: {}]"


def is_own(path: Path, folder: Path) -> bool:
    """Whether it is a file of this folder: a link may lead elsewhere, to somebody's keys."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


def instructions(folders: Sequence[Path]) -> str:
    """The instructions found in these folders, in order, as one block; empty when there are none.

    A file that cannot be read as UTF-8 is not ours to guess at: the block says so instead. So it
    does where a file is cut.
    """
    parts = []
    left = LIMIT
    for folder in folders:
        path = next((path for name in NAMES if is_own(path := folder / name, folder)), None)
        if path is None or left <= 0:
            continue
        try:
            text = path.read_text("utf-8").strip()
        except OSError as error:
            text = UNREAD.format(error.strerror or "it cannot be opened")
        except UnicodeDecodeError:
            text = UNREAD.format("it is not UTF-8")
        if text:
            kept = text if len(text) <= left else text[:left] + MORE
            parts.append(f'<instructions from="{path}">\n{kept}\n</instructions>')
            left -= len(text)
    return "\n".join(parts)
