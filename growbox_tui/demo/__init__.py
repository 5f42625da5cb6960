"""The demonstration: a script, a small project with a real bug in it, and what the user asks.

It needs no key and no network; ``python3`` is the only program that its commands call.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
_SUFFIX = ".txt"
"""Appended to each file of the project, so that no tool takes its code for growbox's own."""


def script() -> Path:
    """The script that the demonstration's model plays."""
    return _HERE / "demo.script"


def questions() -> tuple[str, ...]:
    """What the user says, turn by turn. The second turn needs what the first one told."""
    return (
        "to_delete with keep=0 should name every snapshot, but it names none. Find out why and "
        "mend it. And remember: Mara signs off every fix before Friday's release.",
        "Who has to sign off this fix, and by when? Put it into NOTES.md.",
    )


def unpack(folder: Path) -> None:
    """Write the small project into ``folder``, which is made if need be. Raises ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((_HERE / "project").glob(f"*{_SUFFIX}")):
        (folder / source.name.removesuffix(_SUFFIX)).write_bytes(source.read_bytes())
