"""SummaryChain: the conversation in one line a message (L1), behind the raw tail.

A line that leaves stays reachable: its address becomes a weak reference, and on demand it comes
back. Nothing leaves before its full text is known to be on file. The chain lives in RAM; its rows
are ``store.lines``.

A conversation's own prompt holds each line as an item of the region (``leaving.line_item``), where
its bytes stand still. ``text``, ``text_with_iris`` and ``handoff`` give the chain to somebody else:
an agent that is started for a part of the task, or that takes it over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.context.condense import LINE_TOKENS
from memory.context.eviction import DEFAULT, Leaving, Policy, known, two_stage
from memory.store.signs import cut, cut_chars
from memory.tokens import estimate
from memory.types import Line

CHAIN_TOKENS = 4_000
"""Estimated tokens of all lines, where no budget says otherwise."""
LOW_CHARS = 80
"""Characters that a line of low relevance is shown with."""
RELOADED_CHARS = 400
"""Characters of a message that came back."""
MOST_RELOADED = 3
"""Messages that have come back at one time; the next one sends the one needed longest ago away."""

Archive = Callable[[Line], str]
"""Makes sure that a line's full text is on file; the id of the node that holds it. ``LookupError``
where it is on none."""


@dataclass(frozen=True, slots=True)
class Evicted:
    """What an eviction came to."""

    out: tuple[Leaving, ...]
    """The lines that left, in that order."""
    failed: tuple[tuple[Line, Exception], ...]
    """The lines that stay because their text could not be archived, and why."""
    over_budget: bool


def on_file(line: Line) -> str:
    """The node of a line; ``LookupError`` if its text is on no node."""
    if line.node is None:
        raise LookupError(f"the text of line {line.seq} is on no node")
    return line.node


def link(
    seq: int,
    turn: int,
    role: Literal["user", "assistant", "tool"],
    text: str,
    at: int,
    node: str | None = None,
    supplement: bool = False,
) -> Line:
    """A new line of the chain; its tokens are those of ``rendered``. ``at``: milliseconds, UTC."""
    words = cut(" ".join(text.split()), LINE_TOKENS)
    line = Line(seq, turn, role, words, 0, at, at, node, supplement=supplement)
    return replace(line, tokens=estimate(rendered(line)))


def rendered(line: Line, most: int | None = None) -> str:
    """A line as it stands in the prompt: ``[role] text | mem://…``. Depends on the line alone.

    ``most``: estimated tokens at most, the text being cut and the address staying.
    """
    marks = [line.role, *(["added"] if line.supplement else [])]
    head = f"[{', '.join([*marks, *(['reloaded'] if line.reloaded else [])])}] "
    tail = f" | mem://{line.node}" if line.node else ""
    whole = f"{head}{line.text}{tail}"
    if most is None or estimate(whole) <= most:
        return whole
    return f"{head}{cut(line.text, max(1, most - estimate(head + tail) - 1))}{tail}"


class SummaryChain:
    """The lines of one conversation, oldest first, and the addresses of those that left."""

    def __init__(
        self,
        lines: Iterable[Line] = (),
        gone: Iterable[Line] = (),
        *,
        budget: int = CHAIN_TOKENS,
        policy: Policy = DEFAULT,
    ) -> None:
        """``gone``: those that left, in the order in which they did."""
        self.budget = budget
        """Estimated tokens of all lines."""
        self.policy = policy
        self._lines = {line.seq: line for line in sorted(lines, key=lambda line: line.seq)}
        self._gone = {line.node: line for line in gone if line.node}

    @property
    def lines(self) -> tuple[Line, ...]:
        """Oldest first."""
        return tuple(self._lines.values())

    @property
    def weak_refs(self) -> tuple[str, ...]:
        """Addresses of the lines that left, in the order in which they did, each once."""
        return tuple(f"mem://{node}" for node in self._gone)

    def left(self, node: str) -> bool:
        """Whether the node is one of the weak references."""
        return node in self._gone

    @property
    def tokens(self) -> int:
        """Estimated tokens of all lines."""
        return sum(line.tokens for line in self._lines.values())

    def copy(self) -> SummaryChain:
        """A chain of its own with the same lines."""
        return SummaryChain(
            self._lines.values(), self._gone.values(), budget=self.budget, policy=self.policy
        )

    def append(self, line: Line) -> None:
        """Take in a message's line. ``ValueError`` if one of its position was taken in before."""
        if line.seq in self._lines:
            raise ValueError(f"line {line.seq} stands in the chain already")
        last = next(reversed(self._lines), line.seq)
        self._lines[line.seq] = line
        if line.seq < last:
            self._lines = dict(sorted(self._lines.items()))

    def touch(self, nodes: Collection[str], at: int) -> tuple[Line, ...]:
        """The lines of these nodes were needed again, at ``at`` (ms); the lines as they are now."""
        touched = [
            replace(line, accessed=max(at, line.accessed))
            for line in self._lines.values()
            if line.node in nodes
        ]
        self._lines.update((line.seq, line) for line in touched)
        return tuple(touched)

    def judge(self, judged: Iterable[Line]) -> None:
        """Take over relevance and embedding from these lines; those that left are passed over."""
        for line in judged:
            if own := self._lines.get(line.seq):
                self._lines[line.seq] = replace(
                    own, relevance=line.relevance, embedding=line.embedding
                )

    def evict(
        self,
        now: int,
        query: Sequence[float] | None = None,
        archive: Archive = on_file,
        held: Collection[int] = (),
    ) -> Evicted:
        """Let two-stage eviction bring the chain within its budget.

        ``now``: milliseconds. ``query``: the vector of what is worked on. ``held``: positions of
        lines that stay. A line leaves only when ``archive`` has returned; where it raises, the line
        stays, another one may leave in its stead, and the error is told in ``Evicted.failed``.
        """
        staying = set(held)
        out: list[Leaving] = []
        failed: list[tuple[Line, Exception]] = []
        while True:
            plan = two_stage(self.lines, self.budget, now, query, self.policy, staying)
            before = len(failed)
            for leaving in plan.out:
                try:
                    node = archive(leaving.line)
                except Exception as error:  # noqa: BLE001  whatever it is, the caller is told of it
                    failed.append((leaving.line, error))
                    staying.add(leaving.line.seq)
                    break  # who leaves in its stead is to be decided anew
                self._leave(leaving.line, node)
                out.append(leaving)
            if len(failed) == before:
                return Evicted(tuple(out), tuple(failed), plan.over_budget)

    def leave(self, seqs: Collection[int], archive: Archive = on_file) -> tuple[Line, ...]:
        """Let these lines go for another reason than the budget; those that did. A line of which
        ``archive`` knows no node (``LookupError``) stays."""
        out: list[Line] = []
        for line in [line for line in self._lines.values() if line.seq in seqs]:
            try:
                node = archive(line)
            except LookupError:
                continue
            self._leave(line, node)
            out.append(line)
        return tuple(out)

    def reload(self, iri: str, body: str, at: int) -> tuple[Line, tuple[Line, ...]]:
        """Bring a line back, with the beginning of its message's full text ``body``. The line, and
        those that had to go for it because ``MOST_RELOADED`` have come back already.

        ``at``: milliseconds. ``LookupError`` if the address is no weak reference.
        """
        gone = self._gone.get(iri.removeprefix("mem://"))
        if gone is None:
            raise LookupError(f"{iri} is no line that left")
        others = [line for line in self._lines.values() if line.reloaded]
        others.sort(key=lambda line: (-line.accessed, -line.seq))
        sent = self.leave([line.seq for line in others[MOST_RELOADED - 1 :]])
        text = cut_chars(" ".join(body[: RELOADED_CHARS * 40].split()), RELOADED_CHARS) or gone.text
        back = replace(gone, text=text, accessed=at, relevance=None, embedding=None, reloaded=True)
        back = replace(back, tokens=estimate(rendered(back)))
        del self._gone[str(gone.node)]
        self._lines.pop(back.seq, None)
        self.append(back)
        return back, sent

    def text(self, agent: str = "") -> str:
        """The chain for the model: lines that matter, and below them, shorter and with their score,
        those of low relevance. Empty if there are none. ``agent``: whose conversation it is."""
        main = [line for line in self._lines.values() if not self._is_low(line)]
        low = [line for line in self._lines.values() if self._is_low(line)]
        parts = []
        if self._lines:
            parts = [f"Earlier in this conversation{f' ({agent})' if agent else ''}, in short:"]
            parts += [rendered(line, self.budget) for line in main]
        if low:
            parts.append("Earlier, of low relevance to the task:")
        for line in low:
            words = rendered(replace(line, text=cut_chars(line.text, LOW_CHARS)))
            parts.append(f"{known(line.relevance) or 0.0:.2f} {words}")
        return "\n".join(parts)

    def text_with_iris(self, newest: int, characters: int) -> str:
        """The newest so many lines, oldest first, each with so many characters of its words and its
        address."""
        shown = self.lines[-newest:] if newest > 0 else ()
        return "\n".join(
            rendered(replace(line, text=cut_chars(line.text, characters))) for line in shown
        )

    def handoff(self) -> str:
        """Every line, for whoever goes on with the task."""
        return "\n".join(rendered(line, self.budget) for line in self._lines.values())

    def _leave(self, line: Line, node: str) -> None:
        del self._lines[line.seq]
        self._gone.setdefault(node, replace(line, node=node))

    def _is_low(self, line: Line) -> bool:
        judged = known(line.relevance)
        return judged is not None and judged < self.policy.threshold and not line.supplement
