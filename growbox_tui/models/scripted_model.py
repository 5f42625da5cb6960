"""ScriptedModel: plays a text file instead of thinking; for tests, the demo and bug reports.

The line language is described in ``script_lines``. A script is played from the start by each
``ScriptedModel``; one request takes one reply.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

from growbox_tui.agent.messages import (
    Message,
    Part,
    StopReason,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from growbox_tui.models.call_ids import last_call_number
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    Delta,
    ModelFacts,
    Reply,
    Request,
    TextPiece,
    ThinkingPiece,
    UnknownModel,
)
from growbox_tui.models.script_lines import parse_script
from growbox_tui.models.script_steps import (
    Block,
    Call,
    Cut,
    Expect,
    Fail,
    Hang,
    Say,
    Script,
    Step,
    Think,
    Wait,
)
from memory.tokens import estimate

_PIECE = re.compile(r"\s*\S+|\s+")
"""A word with the space before it, or what space is left at the end."""


class ScriptedModel:
    """A voice that says what a script tells it to. It implements ``Model``."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        """Every request that was made, in order."""
        self._script = script
        self._next = 0
        self._calls = 0
        self._sent: list[str] = []

    @classmethod
    def parse(cls, text: str, name: str = "script") -> ScriptedModel:
        """Play ``text``. Raises ``BadReply``, with the line, for what is not in the language."""
        return cls(parse_script(text, name))

    @classmethod
    def load(cls, path: Path) -> ScriptedModel:
        """Play a file. Raises ``UnknownModel`` if it cannot be read, else as ``parse``."""
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UnknownModel(
                f"The script {path} cannot be read: {error}", "Name a text file in UTF-8."
            ) from error
        return cls.parse(text, path.name)

    @property
    def name(self) -> str:
        """``script/`` and the file's name without its ending."""
        return f"script/{Path(self._script.name).stem}"

    @property
    def facts(self) -> ModelFacts:
        """As the script's header says."""
        return self._script.facts

    @property
    def takes_tools(self) -> bool:
        """Yes, unless the script's header says ``tools off``."""
        return self._script.takes_tools

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """The next reply of the script, or plain words that it is over."""
        self.requests.append(request)
        block = self._take(request)
        usage = self._counted(request) if self._script.count else None
        said: dict[type[Step], str] = {}
        calls: list[ToolCall] = []
        for step in block.steps:
            match step:
                case Think(text) | Say(text):
                    glue = "\n" if type(step) in said else ""
                    kind = ThinkingPiece if isinstance(step, Think) else TextPiece
                    for piece in _PIECE.findall(glue + text):
                        await asyncio.sleep(self._script.pace)
                        yield kind(piece)
                    said[type(step)] = said.get(type(step), "") + glue + text
                case Call(name, arguments):
                    await asyncio.sleep(self._script.pace)
                    calls.append(ToolCall(self._call_id(request), name, arguments))
                case _:
                    await self._act(step, request)
        yield self._reply(block, said, calls, usage)

    async def close(self) -> None:
        """A script holds nothing that would have to be let go of."""

    def _take(self, request: Request) -> Block:
        newest = _words(request.messages[-1]) if request.messages else ""
        passed = False
        while self._next < len(self._script.blocks):
            block = self._script.blocks[self._next]
            self._next += 1
            if (block.otherwise and not passed) or (block.when and block.when not in newest):
                passed = not block.otherwise
                continue
            return block
        over = Say(f"The script is over: {self._script.name} has no reply left.")
        return Block(0, (over,))

    async def _act(self, step: Step, request: Request) -> None:
        match step:
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Expect(text, line):
                if not any(text in _words(message) for message in request.messages):
                    where = f"{self._script.name}, line {line}"
                    raise BadReply(
                        f"{where}: no message of the request holds {text!r}",
                        "The conversation took another course than the script foresees.",
                    )
            case Fail(kind, text, after):
                raise kind(text, retry_after=after)
            case Cut():
                raise CutStream("The stream broke: the script cut it.")
            case Hang():
                await asyncio.Event().wait()

    def _call_id(self, request: Request) -> str:
        self._calls = max(self._calls, last_call_number(request.messages)) + 1
        return f"call_{self._calls}"

    def _reply(
        self, block: Block, said: dict[type[Step], str], calls: list[ToolCall], usage: Usage | None
    ) -> Reply:
        parts: list[Part] = []
        if said.get(Think):
            parts.append(Thinking(said[Think], self.name))
        if said.get(Say):
            parts.append(Text(said[Say]))
        message = Message("assistant", (*parts, *calls))
        stop: StopReason = block.stop or ("tool_calls" if calls else "end")
        if usage is not None:
            written = estimate(_words(message))
            usage = Usage(usage.input, written, usage.cache_read, usage.cache_write)
        return Reply(message, stop, block.usage or usage)

    def _counted(self, request: Request) -> Usage:
        """What a plain cache of the last request's prefix would serve, in estimated tokens."""
        blocks = [*request.tools, *request.system, *map(_words, request.messages)]
        same = 0
        for old, new in zip(self._sent, blocks, strict=False):
            if old != new:
                break
            same += 1
        self._sent = blocks
        read = sum(map(estimate, blocks[:same]))
        whole = read + sum(map(estimate, blocks[same:]))
        return Usage(input=whole, cache_read=read, cache_write=whole - read)


def _words(message: Message) -> str:
    """Everything in a message that a model would read."""
    words: list[str] = []
    for part in message.parts:
        match part:
            case Text(text) | Thinking(text):
                words.append(text)
            case ToolCall(_, name, arguments):
                words.append(f"{name} {arguments}")
            case ToolResult(_, content):
                words.append(content)
    return "\n".join(words)
