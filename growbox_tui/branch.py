"""Branch: which git branch a folder is on, read from its files without running git."""

from __future__ import annotations

from pathlib import Path


def branch_of(project: Path) -> str:
    """The git branch of a folder, or the first letters of its commit; empty outside of git."""
    for folder in (project, *project.parents):
        git = folder / ".git"
        try:
            if git.is_file():
                git = folder / git.read_text("utf-8").partition("gitdir:")[2].strip()
            head = (git / "HEAD").read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return head.removeprefix("ref: refs/heads/") if head.startswith("ref:") else head[:8]
    return ""
