"""Project instructions: what ``AGENTS.md`` says, frozen into the prompt when an epoch begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Tried in this order; the first that exists in a folder counts."""
LIMIT = 24_000
"""Characters of all instructions together."""


def is_own(path: Path, folder: Path) -> bool:
    """Whether it is a file of this folder: a link may lead elsewhere, to somebody's keys."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


def instructions(folders: Sequence[Path]) -> str:
    """The instructions found in these folders, in order, as one block; empty when there are none.

    A file that cannot be read as UTF-8 is passed over: it is not ours to guess at.
    """
    parts = []
    left = LIMIT
    for folder in folders:
        path = next((path for name in NAMES if is_own(path := folder / name, folder)), None)
        if path is None or left <= 0:
            continue
        try:
            text = path.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if text:
            parts.append(f'<instructions from="{path}">\n{text[:left]}\n</instructions>')
            left -= len(text)
    return "\n".join(parts)
