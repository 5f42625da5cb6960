"""LlamaWork: what the one thread of a local voice does: load, foresee, answer, keep, free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from growbox_tui.agent.messages import Message, Part, StopReason, Text, Thinking, ToolCall, Usage
from growbox_tui.models.call_ids import last_call_number
from growbox_tui.models.llama_engine import Engine, Stopped
from growbox_tui.models.llama_prefix import NotKept, PrefixFiles, key_of
from growbox_tui.models.llama_prompt import Prompt, Template
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.llama_standing import Served, Standing, best, common
from growbox_tui.models.llama_writer import Writer, Written
from growbox_tui.models.protocol import (
    BadReply,
    Delta,
    EmptyReply,
    ModelError,
    Reply,
    Request,
    TextPiece,
    ThinkingPiece,
    TooLong,
)

RESERVE = 256
"""Tokens of the context that are kept for the reply."""
LEAST_KEPT = 256
"""Tokens: a shorter prefix is computed sooner than it is worth a file."""
IDLE_GAIN, IDLE_SHARE = 256, 1 / 8
"""Tokens, and share of the prefix, that a file written between turns must hold beyond what is on
file, so that a growing conversation is not written anew with each turn."""
SURE = Sampling(temperature=0.0)
"""For replies of a given shape."""
LAST_GAIN = 64
"""Tokens, where it is the last chance."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is known of a local model before it is loaded."""

    name: str
    path: Path
    limit: int
    """Tokens that prompt and reply may take together."""
    output: int
    """Most tokens of a reply, unless the request says."""
    sampling: Sampling
    tools: bool
    """Whether it is offered hands."""
    prefixes: Path | None
    """The folder for prefix files; ``None`` keeps none."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    engine: Engine
    template: Template
    files: PrefixFiles | None


class LlamaWork:
    """All of it blocks, and nothing of it may run twice at a time."""

    def __init__(self, kind: Kind) -> None:
        """Nothing is loaded yet."""
        self._kind = kind
        self._loaded: _Loaded | None = None
        self._standing = Standing()
        self._calls = 0
        self._fault = ""
        """Why the prefix could not be kept; told with the next reply."""

    def foresee(self, request: Request) -> tuple[int, int]:
        """(tokens of the prompt, tokens of them that need not be computed). Raises ``ModelError``
        if the model cannot be loaded or its template refuses the request."""
        loaded = self._load()
        _, tokens = self._read(loaded, request)
        return len(tokens), self._best(loaded, tokens).tokens

    def answer(
        self, request: Request, put: Callable[[Delta], None], stopped: Callable[[], bool]
    ) -> None:
        """Give the pieces of a reply to ``put``, and last the reply, unless it is stopped.
        Raises ``ModelError``."""
        if stopped():
            return
        loaded = self._load()
        prompt, tokens = self._read(loaded, request)
        room = self._room(len(tokens), request)
        try:
            reply = self._write(loaded, request, prompt, tokens, room, put, stopped)
        except ModelError:
            # It may have come in the middle of anything.
            loaded.engine.forget()
            self._standing.lost()
            raise
        if reply is not None:
            put(self._reply(*reply, request))

    def keep(self, stopped: Callable[[], bool], *, last: bool) -> None:
        """Write what stands to a file, if it is worth one. ``last``: there will be no better
        moment."""
        loaded = self._loaded
        if loaded is None or loaded.files is None:
            return
        engine, files = loaded.engine, loaded.files
        tokens = engine.tokens[: files.largest // engine.bytes_per_token]
        partial = len(tokens) < len(engine.tokens)
        if len(tokens) < LEAST_KEPT or (partial and not engine.forgets_parts):
            return
        held = max((common(saved.tokens, tokens) for saved in files.saved()), default=0)
        least = LAST_GAIN if last else max(IDLE_GAIN, int(len(tokens) * IDLE_SHARE))
        if len(tokens) - held < least:
            return
        try:
            files.save(tokens, lambda path: engine.write(path, len(tokens)), stopped)
        except NotKept as error:
            self._fault = f"The local model's prompt could not be kept on disk: {error}"

    def close(self) -> None:
        """Free the weights."""
        if self._loaded is not None:
            self._loaded.engine.close()
        self._loaded = None
        self._standing.lost()

    # ---- reading -------------------------------------------------------------------------------

    def _load(self) -> _Loaded:
        if self._loaded is None:
            kind = self._kind
            engine = Engine(kind.path, kind.limit)
            words = engine.vocabulary
            source = words.metadata("tokenizer.chat_template")
            template = Template(source, bos=words.mark("bos"), eos=words.mark("eos"))
            self._loaded = _Loaded(engine, template, self._files(engine))
        return self._loaded

    def _files(self, engine: Engine) -> PrefixFiles | None:
        if self._kind.prefixes is None:
            return None
        try:
            key = key_of(self._kind.path, engine.build)
        except OSError as error:
            self._fault = f"Prefixes are not kept: {self._kind.path}: {error.strerror}"
            return None
        return PrefixFiles(self._kind.prefixes, key)

    def _read(self, loaded: _Loaded, request: Request) -> tuple[Prompt, list[int]]:
        prompt = loaded.template.render(request, self._kind.name, tools=self._kind.tools)
        return prompt, loaded.engine.vocabulary.prompt(prompt)

    def _best(self, loaded: _Loaded, tokens: list[int]) -> Served:
        return best(
            self._standing.tokens,
            loaded.files.saved() if loaded.files else (),
            tokens,
            forgets_parts=loaded.engine.forgets_parts,
            room=self._kind.limit,
        )

    def _room(self, prompt: int, request: Request) -> int:
        limit = self._kind.limit
        most = limit - min(RESERVE, limit // 4)
        if prompt > most:
            raise TooLong(
                f"The prompt has {prompt:,} tokens; {self._kind.name} takes {most:,} of its "
                f"{limit:,}, the rest being kept for the answer.",
                "Start afresh with /nap, send less of the file, or take a larger model.",
                limit=limit,
            )
        return min(request.max_output or self._kind.output, limit - prompt)

    # ---- writing -------------------------------------------------------------------------------

    def _write(
        self,
        loaded: _Loaded,
        request: Request,
        prompt: Prompt,
        tokens: list[int],
        room: int,
        put: Callable[[Delta], None],
        stopped: Callable[[], bool],
    ) -> tuple[Written, Usage] | None:
        """Compute what is missing of the prompt and write the reply; ``None`` if stopped."""
        engine = loaded.engine
        self._take_up(loaded, tokens)
        said: list[int] = []
        try:
            evaluated = engine.evaluate(tokens, stopped)
            sampling = SURE if request.schema else self._kind.sampling
            writer = Writer(engine, sampling, room, stopped)
            said = writer.said
            for piece in self._pieces(writer, request, prompt):
                put(piece)
        except Stopped as stop:
            self._standing.cut(tokens, said, stop.standing)
            return None
        self._standing.sent(tokens, said)
        return writer.written, Usage(len(tokens), writer.written.tokens, len(tokens) - evaluated)

    def _pieces(
        self, writer: Writer, request: Request, prompt: Prompt
    ) -> Iterator[TextPiece | ThinkingPiece]:
        if request.schema:
            return writer.write_shaped(request.schema)
        tools = request.tools if self._kind.tools else ()
        return writer.write(thinking=prompt.thinking, tools=tools)

    def _take_up(self, loaded: _Loaded, tokens: list[int]) -> None:
        """Let the prefix of a file stand, if that spares the most. A file that proves useless is
        removed, and everything is computed."""
        saved = self._best(loaded, tokens).saved
        if saved is None or loaded.files is None or not loaded.files.check(saved):
            return
        self._standing.lost()
        try:
            if loaded.engine.read(saved.path, saved.tokens):
                self._standing.sent(saved.tokens)
            else:
                loaded.files.drop(saved)
        except BadReply:
            # There is no memory for all that the file holds; for the prompt there may be.
            return

    def _reply(self, written: Written, usage: Usage, request: Request) -> Reply:
        parts: list[Part] = []
        if written.thoughts:
            parts.append(Thinking(written.thoughts, self._kind.name))
        if written.words:
            parts.append(Text(written.words))
        self._calls = max(self._calls, last_call_number(request.messages))
        broken: dict[str, str] = {}
        for call in written.calls:
            self._calls += 1
            parts.append(ToolCall(f"call_{self._calls}", call.name, call.arguments))
            if call.broken:
                broken[f"call_{self._calls}"] = call.broken
        if not parts:
            how = "used up its room" if written.full else "ended its reply"
            raise EmptyReply(f"{self._kind.name} {how} without a word.")
        stop: StopReason = "tool_calls" if written.calls else "end"
        notice, self._fault = self._fault, ""
        message = Message("assistant", tuple(parts))
        return Reply(message, "length" if written.full else stop, usage, broken, notice)
