"""Recutting: a model may say where a long text breaks, and nothing else.

It is shown numbered sentences and answers with numbers; pieces are always characters of the text.
Nonsense, an error or silence is as good as no answer: then the size alone decides, as when the text
was stored. Output of tools is never shown to a model for this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from itertools import pairwise

from memory.config import MOST_PIECES, WHOLE_TOKENS
from memory.protocols import Chooser, Clock
from memory.store import cutting, nodes, pieces
from memory.store.lane import Lanes
from memory.store.texts import clean
from memory.store.writes import Writes
from memory.types import Node

MOST_TOKENS = MOST_PIECES * 60
"""Estimated tokens of a text beyond which it stays as it was cut when it was stored: to read all of
a book would cost more than better pieces of it are worth."""


class Recutting:
    """Cuts nodes anew where a model says that something begins."""

    def __init__(self, lanes: Lanes, writes: Writes, clock: Clock) -> None:
        self._lanes, self._writes, self._clock = lanes, writes, clock

    async def recut(self, node_id: str, chooser: Chooser) -> int:
        """Let a model choose where a node is cut; in how many pieces it is then, 0 for a whole.

        What pointed to its pieces leads to those that took their characters. Output of a tool, and
        what is too short or too long, stays as it is and is not shown to the model. Raises
        ``LookupError`` if there is no such node, or it was superseded or deleted.
        """
        name = clean(node_id).strip().removeprefix("mem://").lower()
        node = await self._lanes.read.run(lambda db: nodes.by_id(db, name))
        if node is None:
            raise LookupError(f"nothing is remembered under {node_id}")
        before = await self._lanes.read.run(lambda db: pieces.pieces_of(db, node.seq))
        if node.role == "tool" or not WHOLE_TOKENS < cutting.weight(node.text) <= MOST_TOKENS:
            return len(before)
        spans = cutting.chosen(node.text, [number async for number in _numbers(node, chooser)])
        same = spans == [(piece.lo, piece.hi) for piece in before]
        if same or not 1 < len(spans) <= MOST_PIECES:
            return len(before)
        work = partial(pieces.cut, seq=node.seq, bounds=spans, at=self._clock.now())
        return len(await self._writes.whole(self._lanes.write.run(work)))


async def _numbers(node: Node, chooser: Chooser) -> AsyncIterator[int]:
    """The sentences that a model says begin something, of all of a text."""
    starts = cutting.sentence_starts(node.text)
    sentences = [node.text[lo:hi] for lo, hi in pairwise([*starts, len(node.text)])]
    for first, part in _batches(sentences, chooser.window):
        try:
            answers = list(await chooser.breaks(part))
        except Exception:  # noqa: BLE001  a model is others' code; without it the size decides
            continue
        for answer in answers:
            if type(answer) is int and 0 <= answer < len(part):
                yield first + answer


def _batches(sentences: Sequence[str], window: int) -> Iterator[tuple[int, list[str]]]:
    """(number of the first, sentences) of as many as a model may be shown at once."""
    first, room = 0, float(window)
    for number, sentence in enumerate(sentences):
        tokens = cutting.weight(sentence)
        if tokens > room and number > first:
            yield first, list(sentences[first:number])
            first, room = number, float(window)
        room -= tokens
    if sentences:
        yield first, list(sentences[first:])
