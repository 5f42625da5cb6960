"""Writer: one reply of a local model, token by token, from the evaluated prompt to its parts."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from growbox_tui.models.llama_engine import Engine, Stopped
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.protocol import TextPiece, ThinkingPiece
from growbox_tui.models.reply_reader import END_THINK, THINK, ReplyReader
from growbox_tui.models.tool_grammar import (
    CLOSE,
    OPEN,
    WrittenCall,
    grammar,
    read_calls,
    reply_grammar,
)

_MARKS = {mark.encode() for mark in (OPEN, CLOSE, THINK, END_THINK)}
"""Tokens that are worth reading even where a model counts them as control tokens."""


@dataclass(slots=True)
class Written:
    """What has been written; grows while it is."""

    thoughts: str = ""
    words: str = ""
    calls: list[WrittenCall] = field(default_factory=list)
    tokens: int = 0
    full: bool = False
    """It ended because the room was used up, not because the model was done."""


class Writer:
    """Writes one reply."""

    def __init__(
        self, engine: Engine, sampling: Sampling, room: int, stopped: Callable[[], bool]
    ) -> None:
        """``room``: tokens that the reply may take. ``stopped`` is asked before each token; then
        ``Stopped`` is raised."""
        self.written = Written()
        self._engine = engine
        self._sampling = sampling
        self._room = room
        self._stopped = stopped
        self._prompt = list(engine.tokens)
        self.said: list[int] = []
        """The tokens of the reply that stand behind the prompt."""

    def write(
        self, *, thinking: bool = False, tools: Sequence[str] = ()
    ) -> Iterator[TextPiece | ThinkingPiece]:
        """Write freely until the model ends or opens a call, which is then written under the
        grammar of ``tools``."""
        reader = ReplyReader(thinking=thinking, calls=bool(tools))
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for data in self._tokens(""):
            yield from reader.feed(decoder.decode(data))
            if reader.opened:
                break
        else:
            yield from reader.feed(decoder.decode(b"", final=True))
            yield from reader.finish()
        self.written.thoughts = reader.thoughts.rstrip()
        self.written.words = reader.words
        if reader.opened:
            self.rewind(len(reader.rest.encode()) + len(decoder.getstate()[0]))
            self.write_calls(tools)

    def write_shaped(self, schema: str) -> Iterator[TextPiece]:
        """Write one JSON object of a schema's shape."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for data in self._tokens(reply_grammar(schema)):
            self.written.words += (words := decoder.decode(data))
            yield TextPiece(words)

    def write_calls(self, tools: Sequence[str]) -> None:
        """Go on after ``<tool_call>``; only calls of ``tools`` can come of it."""
        text = b"".join(self._tokens(grammar(tools))).decode("utf-8", "replace")
        self.written.calls = read_calls(text)

    def rewind(self, surplus: int) -> None:
        """Take back the last ``surplus`` bytes, so that the context ends with the mark itself:
        the grammar knows nothing of what came in one token with it."""
        if not surplus:
            return
        vocabulary = self._engine.vocabulary
        again = b""
        while surplus > 0:
            piece = vocabulary.piece(self.said.pop())
            again = piece[: max(0, len(piece) - surplus)]
            surplus -= len(piece)
        self.said += vocabulary.tokenize(again.decode("utf-8", "replace"), special=True)
        self._engine.evaluate([*self._prompt, *self.said], self._stopped)

    def _tokens(self, rules: str) -> Iterator[bytes]:
        """The bytes of each new token, until the model ends its reply or the room is used up."""
        engine, vocabulary = self._engine, self._engine.vocabulary
        with engine.sampler(self._sampling, rules) as draw:
            while True:
                if self._stopped():
                    raise Stopped(len(self._prompt) + len(self.said))
                if len(self.said) >= self._room:
                    self.written.full = True
                    return
                token = draw()
                data = vocabulary.piece(token, special=True)
                self.written.tokens += 1
                if vocabulary.is_end(token) or (
                    vocabulary.is_control(token) and data not in _MARKS
                ):
                    return
                engine.push([token])
                self.said.append(token)
                yield data
