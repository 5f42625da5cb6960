"""TailRing: the conversation as it stands in the prompt, oldest first.

Within an epoch it only grows. Between two epochs its oldest groups fall off its front, where a
group is an assistant's message with the results of its calls: a call is never without its results,
and a result never without its call. What the user said in the running turn stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memory.types import Entry

Shorten = Callable[[Entry, int], Entry]
"""The same message in at most about so many tokens, naming the address of the whole; the entry as
it is where it cannot be shortened. Memory does not look into bodies, so the spine does this."""

GIANT = 1 / 2
"""Of the budget: a larger group is shortened, so that it does not empty the ring."""
SHORTENED = 1 / 4
"""Of the budget: what a shortened group keeps."""
AIM = 15 / 16
"""Of the tokens that a shortened group may have: what is asked for, since they are estimated."""
GAP = 1 / 8
"""Of the budget: a larger rest is filled with the next group, shortened until it fits. What was
said lately is worth more word for word than in one line."""


class TailRing:
    """The entries of one epoch."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: list[Entry] = []
        self._told: tuple[Entry, ...] = ()
        self.tokens = 0
        """Estimated tokens of all entries."""
        self._shown: dict[str, int] = {}
        self._own: set[str] = set()
        for entry in entries:
            self.append(entry)

    def append(self, entry: Entry) -> None:
        """Add the newest entry."""
        self._entries.append(entry)
        self.tokens += entry.tokens
        for node in entry.shows:
            # Its even share of the first entry that shows it.
            self._shown.setdefault(
                node, entry.tokens // (len(entry.shows) + (entry.role == "user"))
            )
        if entry.node is not None:
            self._own.add(entry.node)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Oldest first."""
        if len(self._told) < len(self._entries):
            self._told = tuple(self._entries)
        return self._told

    @property
    def shown(self) -> tuple[str, ...]:
        """Remembered nodes rendered in the entries, in order of first appearance."""
        return tuple(self._shown)

    def shows(self, node: str) -> bool:
        """Whether an entry shows the remembered node."""
        return node in self._shown

    def holds(self, node: str) -> bool:
        """Whether an entry shows the node, or is the node's own."""
        return node in self._shown or node in self._own

    def share(self, node: str) -> int:
        """About how many tokens a shown node takes; 0 for any other."""
        return self._shown.get(node, 0)


def kept(
    entries: Sequence[Entry], budget: int, shorten: Shorten | None = None, most: int = 0
) -> tuple[Entry, ...]:
    """The entries that the next epoch starts with: whole groups, newest first, within ``budget``.

    A budget of 0 keeps nothing. Otherwise the least is what the user said first and last in the
    newest turn, and the newest group; for these alone the tail may be larger than ``budget``, up to
    ``most`` tokens where ``shorten`` can make them so. A giant among the others is shortened
    instead of keeping out all that is older.
    """
    if budget <= 0 or not entries:
        return ()
    parts = groups(entries)
    least = _least(parts)
    staying = _within([parts[place] for place in least], max(budget, most), shorten)
    left = budget - _tokens(staying)
    others = [part for place, part in enumerate(parts) if place not in least]
    while others:
        part = others.pop()
        size, most = _tokens(part), left
        if size > budget * GIANT:
            older = sum(map(_tokens, others))
            most = min(left, max(int(budget * SHORTENED), left - older))
        if shorten is not None and size > most and left >= budget * GAP:
            part = _fitted(part, (most, left, left // 2), left, shorten)
        left -= _tokens(part)
        if left < 0:
            break
        staying += part
    return tuple(sorted(staying, key=lambda entry: entry.seq))


def _fitted(part: list[Entry], goals: Iterable[int], most: int, shorten: Shorten) -> list[Entry]:
    """A group shortened to about the first of these goals by which it has at most so many tokens;
    a message of many calls cannot be made as short as others."""
    for goal in goals:
        fitting = _within([part], int(goal * AIM), shorten)
        if _tokens(fitting) <= most:
            return fitting
    return part


def groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries that must stay together: each message with the tool results that follow it."""
    found: list[list[Entry]] = []
    for entry in entries:
        if entry.role == "tool" and found:
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def _least(parts: Sequence[Sequence[Entry]]) -> set[int]:
    """Places of the groups that stay whatever the budget."""
    turn = parts[-1][0].turn
    spoken = [
        place for place, part in enumerate(parts) if part[0].role == "user" and part[0].turn == turn
    ]
    worded = [place for place in spoken if parts[place][0].node is not None] or spoken
    return {len(parts) - 1, *worded[:1], *worded[-1:]}


def _within(parts: Sequence[Sequence[Entry]], budget: int, shorten: Shorten | None) -> list[Entry]:
    """All entries of some groups, the large ones shortened until all are within the budget."""
    entries = [entry for part in parts for entry in part]
    if shorten is None or _tokens(entries) <= budget:
        return entries
    level = _level([entry.tokens for entry in entries], budget)
    return [entry if entry.tokens <= level else shorten(entry, level) for entry in entries]


def _level(sizes: Iterable[int], budget: int) -> int:
    """The most that each may have so that all together are within the budget."""
    waiting, left = sorted(sizes), budget
    while waiting:
        level = max(1, left // len(waiting))
        if waiting[0] > level:
            return level
        left -= waiting.pop(0)
    return budget


def _tokens(entries: Iterable[Entry]) -> int:
    return sum(entry.tokens for entry in entries)
