"""What command output says once a terminal has shown it: no escapes, no overwritten text.

Works on whole lines, so a caller feeds pieces and gets lines back.
"""

from __future__ import annotations

import re

MAX_LINE = 65_536
"""Characters after which a line without end is passed on as it is."""
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # control sequence: colour, cursor
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # title, link, device string
    r"|[ -/]*[0-~])"  # two-character sequences
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
_ERASE = re.compile(r"\x1b\[[012]?K")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ERASE_MARK = "\x00"
"""Stands for "erase to the end of the line" while a line is worked on."""


class TerminalText:
    """Turns raw output into lines that can be read and are safe to show."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, text: str) -> str:
        """The lines that are whole by now, each with its LF."""
        whole, mark, self._rest = (self._rest + text).rpartition("\n")
        done = shown(whole) + mark if mark else ""
        if len(self._rest) > MAX_LINE:
            # Keep the last few characters: an escape sequence may be torn there.
            cut = self._rest.rfind("\x1b", len(self._rest) - 64)
            cut = len(self._rest) if cut < 0 else cut
            done += shown(self._rest[:cut])
            self._rest = self._rest[cut:]
        return done

    def finish(self) -> str:
        """The last line, if it had no LF."""
        rest, self._rest = self._rest, ""
        return shown(rest)


def shown(text: str) -> str:
    """The text as a terminal would leave it; control characters that do nothing are spelled."""
    text = text.replace("\r\n", "\n")
    if not _CONTROL.search(text):
        return text
    text = text.replace(_ERASE_MARK, "\\x00")
    text = _ESCAPE.sub("", _ERASE.sub(_ERASE_MARK, text))
    rows = (_overwritten(row) for row in text.split("\n"))
    return _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", "\n".join(rows))


def _overwritten(row: str) -> str:
    """One line after its carriage returns, backspaces and erasures."""
    row = row.rstrip("\r")
    if "\r" not in row and "\b" not in row:
        return row.replace(_ERASE_MARK, "")
    cells: list[str] = []
    column = 0
    for char in row:
        if char == "\r":
            column = 0
        elif char == "\b":
            column = max(0, column - 1)
        elif char == _ERASE_MARK:
            del cells[column:]
        else:
            cells[column : column + 1] = [char]
            column += 1
    return "".join(cells)
