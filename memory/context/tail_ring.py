"""TailRing: the conversation as it stands in the prompt, oldest first.

Within an epoch it only grows. Between two epochs whole turns fall off its front; within the
running turn whole groups do, where a group is an assistant's message with the results of its
calls. So a call is never without its results, and a result never without its call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.types import Entry


class TailRing:
    """The entries of one epoch."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries: tuple[Entry, ...] = ()
        """Oldest first."""
        self.tokens = 0
        """Estimated tokens of all entries."""
        self._shown: dict[str, None] = {}
        self._own: set[str] = set()
        for entry in entries:
            self.append(entry)

    def append(self, entry: Entry) -> None:
        """Add the newest entry."""
        self.entries += (entry,)
        self.tokens += entry.tokens
        self._shown.update(dict.fromkeys(entry.shows))
        if entry.node is not None:
            self._own.add(entry.node)

    @property
    def shown(self) -> tuple[str, ...]:
        """Remembered nodes rendered in the entries, in order of first appearance."""
        return tuple(self._shown)

    def holds(self, node: str) -> bool:
        """Whether an entry shows the node, or is the node's own."""
        return node in self._shown or node in self._own

    def share(self, node: str) -> int:
        """About how many tokens a shown node takes: its even share of the first entry with it."""
        for entry in self.entries:
            if node in entry.shows:
                return entry.tokens // (len(entry.shows) + (entry.role == "user"))
        return 0


def kept(entries: Sequence[Entry], budget: int) -> tuple[Entry, ...]:
    """The entries that the next epoch starts with: whole turns, newest first, within ``budget``.

    A budget of 0 keeps nothing. Otherwise the newest turn is never lost: where it does not fit
    whole, it keeps what the user said in it and as many of its newest groups as fit, and at least
    one, even if that alone is over the budget.
    """
    if budget <= 0 or not entries:
        return ()
    turns = _turns(entries)
    newest = turns[-1]
    if _tokens(newest) > budget:
        return _shortened_turn(newest, budget)
    staying = list(newest)
    left = budget - _tokens(newest)
    for turn in reversed(turns[:-1]):
        left -= _tokens(turn)
        if left < 0:
            break
        staying = [*turn, *staying]
    return tuple(staying)


def groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries that must stay together: each message with the tool results that follow it."""
    found: list[list[Entry]] = []
    for entry in entries:
        if entry.role == "tool" and found:
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def _shortened_turn(turn: Sequence[Entry], budget: int) -> tuple[Entry, ...]:
    parts = groups(turn)
    spoken = [part for part in parts if part[0].role == "user" and part[0].node is not None]
    if parts[0][0].role == "user" and parts[0] not in spoken:
        spoken.insert(0, parts[0])
    others = [part for part in parts if part not in spoken]
    left = budget - sum(_tokens(part) for part in spoken)
    staying = list(spoken)
    for number, part in enumerate(reversed(others)):
        left -= _tokens(part)
        if left < 0 and number > 0:
            break
        staying.append(part)
    return tuple(sorted((entry for part in staying for entry in part), key=lambda e: e.seq))


def _turns(entries: Sequence[Entry]) -> list[list[Entry]]:
    found: list[list[Entry]] = []
    for entry in entries:
        if found and found[-1][0].turn == entry.turn:
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def _tokens(entries: Iterable[Entry]) -> int:
    return sum(entry.tokens for entry in entries)
