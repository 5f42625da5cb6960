"""IndexQueue: which of the memories in the prompt are wanted most.

Heat, pins and evictions live here and never in the prompt, so a memory that is found again moves up
in this queue without a byte of the prompt changing. Heat halves every ``HALF_LIFE_TURNS`` turns:
without ageing, what was hot weeks ago would own the region for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory.config import HALF_LIFE_TURNS


@dataclass(frozen=True, slots=True)
class Warmth:
    """Heat as it was when it last changed."""

    heat: float
    turn: int
    """The turn in which it was last found."""


def aged(warmth: Warmth, turn: int, half_life: float = HALF_LIFE_TURNS) -> float:
    """The heat that is left in a later turn."""
    left: float = 0.5 ** (max(0, turn - warmth.turn) / half_life)
    return warmth.heat * left


PINS, EVICTED, PLACEHOLDERS = "pins:", "evicted:", "placeholders:"
"""Keys of ``to_plain`` beside the nodes; no node's id holds a colon."""


class IndexQueue:
    """The nodes of one window by heat; which of them are pinned, which are to go, and which no
    pointer stands behind."""

    def __init__(
        self,
        warmths: Mapping[str, Warmth] | None = None,
        pins: Iterable[str] = (),
        evicted: Iterable[str] = (),
        placeholders: Iterable[str] = (),
    ) -> None:
        self._warmths = dict(warmths or {})
        self._pins = dict.fromkeys(pins)
        self._evicted = set(evicted)
        self._placeholders = set(placeholders)

    def __contains__(self, node: object) -> bool:
        return node in self._warmths

    def __len__(self) -> int:
        return len(self._warmths)

    @property
    def nodes(self) -> frozenset[str]:
        """All members."""
        return frozenset(self._warmths)

    @property
    def pinned(self) -> tuple[str, ...]:
        """Nodes that no sweep may take, in the order in which they were pinned. The window need not
        hold them yet."""
        return tuple(self._pins)

    @property
    def evicted(self) -> frozenset[str]:
        """Members whose bytes go at the epoch's end."""
        return frozenset(self._evicted)

    @property
    def placeholders(self) -> frozenset[str]:
        """Nodes that the approximate index alone brought, as of when they were last found: they
        leave no anchor when they go. The window need not hold them yet."""
        return frozenset(self._placeholders)

    def stand(self, nodes: Iterable[str], *, placeholder: bool) -> None:
        """Say of nodes that were found whether a pointer stands behind them."""
        if placeholder:
            self._placeholders.update(nodes)
        else:
            self._placeholders.difference_update(nodes)

    def pin(self, node: str) -> None:
        """Let no sweep take it."""
        self._pins[node] = None
        self._evicted.discard(node)

    def unpin(self, node: str) -> None:
        """Let it be like any other."""
        self._pins.pop(node, None)

    def evict(self, node: str) -> None:
        """Have a member go at the epoch's end; whatever finds it again before takes that back."""
        self.unpin(node)
        if node in self._warmths:
            self._warmths[node] = Warmth(0.0, -1)
            self._evicted.add(node)

    def admit(self, node: str, turn: int) -> None:
        """A node enters the window, or is shown in it once more."""
        self._warmths[node] = Warmth(self.heat(node, turn) + 1.0, turn)
        self._evicted.discard(node)

    def touch(self, nodes: Iterable[str], turn: int) -> None:
        """Members found again get warmer; others are not admitted by it."""
        for node in nodes:
            if node in self._warmths:
                self.admit(node, turn)

    def enter(self, node: str, turn: int) -> None:
        """A node enters, found by nobody; one that is here already stays as warm as it is."""
        self._warmths.setdefault(node, Warmth(1.0, turn))

    def redate(self, nodes: Iterable[str], turn: int) -> None:
        """Count what was found just before a turn's first message as found in that turn."""
        for node in nodes:
            if node in self._warmths:
                self._warmths[node] = Warmth(self.heat(node, turn), turn)

    def heat(self, node: str, turn: int) -> float:
        """Heat now; 0 for a node that is not a member."""
        warmth = self._warmths.get(node)
        return 0.0 if warmth is None else aged(warmth, turn)

    def found_in(self, node: str, turn: int) -> bool:
        """Whether the node was found in this turn, and so is held: it is never the victim of what
        was hot before it. The newcomer has only one point of heat and would never reach the prompt
        otherwise."""
        warmth = self._warmths.get(node)
        return warmth is not None and warmth.turn >= turn

    def retain(self, nodes: Iterable[str]) -> None:
        """Forget all members but these. Pins stay."""
        staying = set(nodes)
        self._warmths = {node: warmth for node, warmth in self._warmths.items() if node in staying}
        self._evicted &= staying
        self._placeholders &= staying

    def to_plain(self) -> dict[str, list[Any]]:
        """For the memory file: node → [heat, turn], and lists of pins, evictions, placeholders."""
        plain: dict[str, list[Any]] = {
            node: [warmth.heat, warmth.turn] for node, warmth in self._warmths.items()
        }
        if self._pins:
            plain[PINS] = list(self._pins)
        if self._evicted:
            plain[EVICTED] = sorted(self._evicted)
        if self._placeholders:
            plain[PLACEHOLDERS] = sorted(self._placeholders)
        return plain

    def copy(self) -> IndexQueue:
        """A queue of its own with the same members."""
        return IndexQueue(self._warmths, self._pins, self._evicted, self._placeholders)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> IndexQueue:
        """What ``to_plain`` gave, or gave before there were pins."""
        warmths = {
            node: Warmth(float(entry[0]), int(entry[1]))
            for node, entry in plain.items()
            if not node.endswith(":")
        }
        return cls(warmths, *(plain.get(name, ()) for name in (PINS, EVICTED, PLACEHOLDERS)))
