"""The picture that a terminal would show: enough of a VT to find words on it.

Moves of the cursor, erasing and wide characters are followed; colours are not.
"""

from __future__ import annotations

import re
import unicodedata

SEQUENCE = re.compile(
    r"\x1b\[([0-9;:<=>?]*)[ -/]*([@-~])"  # CSI
    r"|\x1b[\]P_^X].*?(?:\x07|\x1b\\)"  # OSC, DCS, APC, PM, SOS
    r"|\x1b[()*+#%][\x20-\x7e]|\x1b[^()*+#%\[\]P_^X\x1b]",
    re.DOTALL,
)
UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:<=>?]*[ -/]*|[\]P_^X][^\x07]*|[()*+#%])?\Z")


def cells(char: str) -> int:
    """How many columns a character takes."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Screen:
    """A grid of characters and a cursor."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self._x = self._y = 0
        self._rest = ""

    def feed(self, text: str) -> None:
        """Take what the program wrote; a sequence may be cut between two calls."""
        text, place = self._rest + text, 0
        while place < len(text):
            if text[place] == "\x1b":
                found = SEQUENCE.match(text, place)
                if found is None:
                    if UNFINISHED.match(text, place):
                        break
                    place += 1
                    continue
                if found[2]:
                    self._control(found[1], found[2])
                place = found.end()
            else:
                self._put(text[place])
                place += 1
        self._rest = text[place:]

    def lines(self) -> list[str]:
        """The rows, without blanks at their ends."""
        return ["".join(row).rstrip() for row in self._cells]

    @property
    def text(self) -> str:
        """The whole picture, rows joined by newlines."""
        return "\n".join(self.lines())

    def _put(self, char: str) -> None:
        if char == "\r":
            self._x = 0
        elif char == "\n":
            self._y = min(self.rows - 1, self._y + 1)
        elif char == "\b":
            self._x = max(0, self._x - 1)
        elif char >= " " and (width := cells(char)):
            if self._x + width > self.columns:
                self._x, self._y = 0, min(self.rows - 1, self._y + 1)
            row = self._cells[self._y]
            row[self._x] = char
            if width == 2:
                row[self._x + 1] = ""
            self._x += width

    def _control(self, given: str, final: str) -> None:
        if given[:1] in ("<", "=", ">", "?"):
            return
        numbers = [int(each) if each.isdigit() else 0 for each in given.split(";")]
        count = max(1, numbers[0])
        if final in "Hf":
            column = numbers[1] if len(numbers) > 1 else 1
            self._go(max(1, column) - 1, count - 1)
        elif final in "ABCDEFG`d":
            moves = {
                "A": (self._x, self._y - count),
                "B": (self._x, self._y + count),
                "C": (self._x + count, self._y),
                "D": (self._x - count, self._y),
                "E": (0, self._y + count),
                "F": (0, self._y - count),
                "G": (count - 1, self._y),
                "`": (count - 1, self._y),
                "d": (self._x, count - 1),
            }
            self._go(*moves[final])
        elif final in "JK":
            self._erase(final, numbers[0])

    def _go(self, x: int, y: int) -> None:
        self._x = min(self.columns - 1, max(0, x))
        self._y = min(self.rows - 1, max(0, y))

    def _erase(self, final: str, mode: int) -> None:
        here = self._y * self.columns + self._x
        first, last = (0, self.rows * self.columns)
        if final == "K":
            first, last = self._y * self.columns, (self._y + 1) * self.columns
        start = here if mode == 0 else first
        end = here + 1 if mode == 1 else last
        for place in range(start, end):
            self._cells[place // self.columns][place % self.columns] = " "
