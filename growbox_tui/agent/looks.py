"""Looks: what memory was asked in a turn, what it brought, and what of that the model used."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_ADDRESS = re.compile(r"mem://([0-9a-z]{6,32})(?![0-9a-z])")
MEMORY_HAND = "recall"
"""The hand that only asks memory; any other makes an answer rest on more than that."""


class Looks:
    """Of the running turn and, once the next begins, of the last one."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[str, ...]] = {}
        """Recollection → ids of what it brought, in the order in which they were asked."""
        self._used: dict[str, None] = {}
        """Ids that a reply cited or that were paged in, in order."""
        self._acted = False

    def note(self, recollection: int, ids: Sequence[str]) -> None:
        """Memory was asked. A recollection that is not on file (0) cannot be spoken of later."""
        if recollection:
            self._found[recollection] = tuple(ids)

    def said(self, words: str) -> None:
        """The model said something; the addresses in it are cited."""
        self._used.update(dict.fromkeys(_ADDRESS.findall(words)))

    def paged(self, node_id: str) -> None:
        """The model paged in the whole of a memory."""
        self._used[node_id] = None

    def did(self, hand: str) -> None:
        """The model used a hand."""
        self._acted = self._acted or hand != MEMORY_HAND

    def used(self, standing: Collection[str] = ()) -> dict[int, list[str]]:
        """Recollection → ids of what the model used of it; of each memory that several brought, and
        of those that only stand in the prompt (``standing``), the first one that can tell."""
        told: dict[int, list[str]] = {}
        for name in self._used:
            brought = [number for number, ids in self._found.items() if name in ids]
            if not brought and name in standing:
                brought = list(self._found)[:1]
            for number in brought[:1]:
                told.setdefault(number, []).append(name)
        return told

    def blamed(self) -> dict[int, list[str]]:
        """Recollection → ids of what is to blame when the turn's answer was wrong: what was used
        of it; else, where no hand but memory's was used, all that it brought."""
        if not self._used and self._acted:
            return {}
        return self.brought()

    def brought(self) -> dict[int, list[str]]:
        """Recollection → ids of what was used of it; of what it brought, where nothing was."""
        if self._used:
            return self.used()
        return {number: list(ids) for number, ids in self._found.items() if ids}

    def forget(self) -> None:
        """A turn begins, or what was used has been found wrong."""
        self._found.clear()
        self._used.clear()
        self._acted = False
