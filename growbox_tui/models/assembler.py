"""Assembler: pieces of an answer in, one whole and honest ``Reply`` out.

The one place where answers of every provider are put together. Nothing is guessed: a call that was
cut, merged or cannot be read for certain is in the reply, but marked broken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from growbox_tui.agent.messages import Message, Part, StopReason, Text, Thinking, ToolCall
from growbox_tui.models.call_slots import CallSlot, CallSlots
from growbox_tui.models.pieces import Mender, ThinkSplitter, mend
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    Delta,
    EmptyReply,
    Overloaded,
    Reply,
    TextPiece,
    ThinkingPiece,
)
from growbox_tui.models.usage import merge_raw, read_usage

DEFAULT_LIMIT = 1_000_000
"""Characters of one reply where no output limit is known: more than any model may write."""
CHARACTERS_A_TOKEN = 8
LEAST_LIMIT = 256
"""Characters that any reply may have: a single token may be longer than most."""

_STOPS: dict[StopReason, set[str]] = {
    "end": {
        "stop",
        "eos",
        "eos_token",
        "end",
        "end_turn",
        "stop_sequence",
        "completed",
        "complete",
    },
    "tool_calls": {"tool_calls", "tool_call", "tool_use", "function_call", "function_calls"},
    "length": {
        "length",
        "max_tokens",
        "model_length",
        "max_output_tokens",
        "max_length",
        "model_context_window_exceeded",
    },
    "refusal": {
        "content_filter",
        "content_filtered",
        "refusal",
        "safety",
        "recitation",
        "sensitive",
        "prohibited_content",
        "blocklist",
        "spii",
    },
}
_STOP_OF: dict[str, StopReason] = {word: stop for stop, words in _STOPS.items() for word in words}
_FAILED = {"error", "abort", "aborted", "cancelled", "timeout", "network_error"}
_TROUBLE = {"insufficient_system_resource", "overloaded", "server_error"}

_CALL_AS_TEXT = re.compile(r"^\s*(?:<tool_call>|<function=|<\|tool_call|\[TOOL_CALLS\])", re.M)


@dataclass(slots=True)
class _Words:
    pieces: list[str] = field(default_factory=list)
    mender: Mender = field(default_factory=Mender)
    splitter: ThinkSplitter = field(default_factory=ThinkSplitter)


@dataclass(slots=True)
class _Thought:
    pieces: list[str] = field(default_factory=list)
    mender: Mender = field(default_factory=Mender)
    opaque: str = ""


class Assembler:
    """Puts one reply together.

    ``wire`` is the model's name, ``taken`` the call ids of earlier turns, ``max_output`` the limit
    in tokens that the request carried, if any, ``tools`` whether hands were offered.
    """

    def __init__(
        self,
        wire: str,
        *,
        taken: Collection[str] = (),
        max_output: int | None = None,
        tools: bool = False,
    ) -> None:
        self._wire = wire
        self._taken = taken
        self._max_output = max_output
        self._tools = tools
        self._parts: dict[object, _Words | _Thought] = {}
        self._calls = CallSlots()
        self._usage: dict[str, Any] = {}
        self._finish = ""
        self._refused = False
        self._size = 0
        self._notices: list[str] = []
        self.closed = False
        """The provider said that nothing more comes."""
        self.foreign = False
        """All events so far are of no kind that the wire's format has."""
        self._known = False

    @property
    def began(self) -> bool:
        """Whether anything of a reply has come: words, thoughts, part of a call."""
        return self._size > 0 or bool(self._calls)

    @property
    def finished(self) -> bool:
        """Whether the provider gave a reason for the end."""
        return bool(self._finish)

    @property
    def size(self) -> int:
        """Characters so far, of every kind; grows with each piece of content."""
        return self._size

    def event(self, known: bool) -> None:
        """An event came; ``known`` says whether the wire's format has its kind."""
        self._known = self._known or known
        self.foreign = not self._known

    def text(self, piece: str, key: object = "text", *, refusal: bool = False) -> list[Delta]:
        """Visible words. ``key`` names the block they belong to. Raises ``BadReply`` when the
        reply grows beyond every limit."""
        self._grow(piece)
        self._refused = self._refused or (refusal and bool(piece))
        words = self._parts.setdefault(key, _Words())
        assert isinstance(words, _Words), "a block is text or thinking, never both"
        thought, visible = words.splitter.feed(words.mender.feed(piece))
        return [*self._inline(key, thought), *_shown(words, visible)]

    def thinking(self, piece: str, key: object = "thinking") -> list[Delta]:
        """Reasoning."""
        self._grow(piece)
        thought = self._thought(key)
        ready = thought.mender.feed(piece)
        thought.pieces.append(ready)
        return [ThinkingPiece(ready)] if ready else []

    def opaque(self, block: str, key: object = "thinking") -> None:
        """The provider's own form of a thinking block, as JSON text."""
        self._thought(key).opaque = block

    def call(
        self, call_id: str, index: int | None, name: str, arguments: str, fault: str = ""
    ) -> CallSlot:
        """A fragment of a tool call."""
        self._grow(name + arguments)
        return self._calls.add(call_id, index, name, arguments, fault)

    def usage(self, raw: Any) -> None:
        """A usage object; later ones complete earlier ones."""
        if isinstance(raw, Mapping):
            self._usage = merge_raw(self._usage, raw)

    def finish(self, reason: str) -> None:
        """Why the reply ended, in the provider's word. Raises ``Overloaded`` or ``CutStream``
        where that word means a failure."""
        word = reason.strip().lower()
        if word in _TROUBLE:
            raise Overloaded(f"{self._wire} broke off: {reason}", "Try again later.")
        if word in _FAILED:
            raise CutStream(f"{self._wire} broke off its reply: {reason}")
        if _STOP_OF.get(self._finish) not in ("length", "refusal"):
            # A second reason never turns a reply that was cut into a whole one.
            self._finish = word or self._finish

    def notice(self, text: str) -> None:
        """Something that the user should hear with the reply; each only once."""
        if text not in self._notices:
            self._notices.append(text)

    def flush(self) -> list[Delta]:
        """Pieces that were held back, when no more can come."""
        deltas: list[Delta] = []
        for key, part in list(self._parts.items()):
            rest = part.mender.flush()
            if isinstance(part, _Thought):
                part.pieces.append(rest)
                deltas += [ThinkingPiece(rest)] if rest else []
                continue
            thought, visible = part.splitter.feed(rest)
            deltas += [*self._inline(key, thought), *_shown(part, visible)]
            thought, visible = part.splitter.flush()
            deltas += [*self._inline(key, thought), *_shown(part, visible)]
        return deltas

    def reply(self) -> Reply:
        """The whole reply; call ``flush`` first. Raises ``EmptyReply`` for a success without words
        or calls, ``CutStream`` when no reason for the end was given."""
        if not self._finish:
            raise CutStream(f"{self._wire} broke off before the reply was whole")
        calls, broken = self._calls.finish(self._taken)
        usage = read_usage(self._usage)
        stop = self._stop(calls)
        fault = self._fault(stop, usage.output if usage else None)
        if fault:
            broken = {call.id: broken.get(call.id) or fault for call in calls}
        parts: list[Part] = [*self._said(), *calls]
        words = any(isinstance(part, Text) and part.text.strip() for part in parts)
        if not words and not calls and stop in ("end", "tool_calls", "unknown"):
            raise EmptyReply(f"{self._wire} gave an empty answer", "Ask again, in other words.")
        if (
            self._tools
            and not calls
            and any(isinstance(part, Text) and _CALL_AS_TEXT.search(part.text) for part in parts)
        ):
            self.notice("The model wrote a tool call as text; it was not run.")
        notice = " ".join(self._notices)
        return Reply(Message("assistant", tuple(parts)), stop, usage, broken, notice)

    def _said(self) -> list[Part]:
        parts: list[Part] = []
        # Thoughts that were taken out of the text came before its words.
        order = sorted(self._parts.items(), key=lambda item: not isinstance(item[0], tuple))
        for _, part in order:
            text = "".join(part.pieces)
            if isinstance(part, _Words) and text:
                parts.append(Text(text))
            elif isinstance(part, _Thought) and (text or part.opaque):
                parts.append(Thinking(text, self._wire, mend(part.opaque)))
        return parts

    def _stop(self, calls: list[ToolCall]) -> StopReason:
        stop = _STOP_OF.get(self._finish, "unknown")
        if self._refused:
            return "refusal"
        if stop == "unknown":
            self.notice(f"The reply ended for a reason that is not known: {self._finish[:40]!r}.")
        if stop == "tool_calls" and not calls:
            self.notice("The model announced a tool call, but none came.")
            return "end"
        return "tool_calls" if stop == "end" and calls else stop

    def _fault(self, stop: StopReason, output: int | None) -> str:
        """Why none of the reply's calls may run, whatever each looks like."""
        if stop == "length":
            return "the reply was cut at its length limit, so no call of it was run"
        if stop == "refusal":
            return "the provider withheld the rest of the reply, so no call of it was run"
        if stop == "unknown":
            return "the reply ended in an unknown way, so no call of it was run"
        if self._max_output and output is not None and output >= self._max_output:
            return "the reply filled its whole length limit and may be cut, so it was not run"
        return ""

    def _thought(self, key: object) -> _Thought:
        thought = self._parts.setdefault(key, _Thought())
        assert isinstance(thought, _Thought), "a block is text or thinking, never both"
        return thought

    def _inline(self, key: object, piece: str) -> list[Delta]:
        if not piece:
            return []
        self._thought(("inline", key)).pieces.append(piece)
        return [ThinkingPiece(piece)]

    def _grow(self, piece: str) -> None:
        self._size += len(piece)
        limit = DEFAULT_LIMIT
        if self._max_output:
            limit = max(LEAST_LIMIT, self._max_output * CHARACTERS_A_TOKEN)
        if self._size > limit:
            raise BadReply(
                f"{self._wire} does not stop: more than {limit} characters in one reply",
                "Try again, or choose another model with /model.",
            )


def _shown(words: _Words, visible: str) -> list[Delta]:
    if not visible:
        return []
    words.pieces.append(visible)
    return [TextPiece(visible)]
