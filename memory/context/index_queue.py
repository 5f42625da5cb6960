"""IndexQueue: which of the memories in the prompt are wanted most.

Heat lives here and never in the prompt, so a memory that is found again moves up in this queue
without a byte of the prompt changing. Heat halves every ``HALF_LIFE_TURNS`` turns: without ageing,
what was hot weeks ago would own the region for ever.
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


class IndexQueue:
    """Remembered nodes of one window by heat."""

    def __init__(self, warmths: Mapping[str, Warmth] | None = None) -> None:
        self._warmths = dict(warmths or {})

    def __contains__(self, node: object) -> bool:
        return node in self._warmths

    def __len__(self) -> int:
        return len(self._warmths)

    @property
    def nodes(self) -> frozenset[str]:
        """All members."""
        return frozenset(self._warmths)

    def admit(self, node: str, turn: int) -> None:
        """A node enters the window, or is shown in it once more."""
        self._warmths[node] = Warmth(self.heat(node, turn) + 1.0, turn)

    def touch(self, nodes: Iterable[str], turn: int) -> None:
        """Members found again get warmer; others are not admitted by it."""
        for node in nodes:
            if node in self._warmths:
                self.admit(node, turn)

    def redate(self, nodes: Iterable[str], turn: int) -> None:
        """Count what was found just before a turn's first message as found in that turn."""
        for node in nodes:
            if node in self._warmths:
                self._warmths[node] = Warmth(self.heat(node, turn), turn)

    def heat(self, node: str, turn: int) -> float:
        """Heat now; 0 for a node that is not a member."""
        warmth = self._warmths.get(node)
        return 0.0 if warmth is None else aged(warmth, turn)

    def rank(self, nodes: Iterable[str], turn: int) -> list[str]:
        """Those that must stay first: found in this turn, then by heat; ties keep their order.

        What was found this turn is never the victim of what was hot before it: the newcomer has
        only one point of heat and would never reach the prompt otherwise.
        """
        return sorted(
            nodes, key=lambda node: (not self.found_in(node, turn), -self.heat(node, turn))
        )

    def found_in(self, node: str, turn: int) -> bool:
        """Whether the node was found in this turn."""
        warmth = self._warmths.get(node)
        return warmth is not None and warmth.turn >= turn

    def retain(self, nodes: Iterable[str]) -> None:
        """Forget all members but these."""
        staying = set(nodes)
        self._warmths = {node: warmth for node, warmth in self._warmths.items() if node in staying}

    def to_plain(self) -> dict[str, list[Any]]:
        """For the memory file: node → [heat, turn]."""
        return {node: [warmth.heat, warmth.turn] for node, warmth in self._warmths.items()}

    def copy(self) -> IndexQueue:
        """A queue of its own with the same members."""
        return IndexQueue(self._warmths)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> IndexQueue:
        """What ``to_plain`` gave."""
        return cls({node: Warmth(float(heat), int(turn)) for node, (heat, turn) in plain.items()})
