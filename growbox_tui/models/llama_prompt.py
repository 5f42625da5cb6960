"""Prompts of local models: a request rendered by the chat template that the GGUF brings along.

The contents are kept out of the template's hands: it sees a placeholder for each, and the words
themselves are tokenised apart, so that ``<|im_end|>`` in a file is text and ends no message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult
from growbox_tui.models.protocol import BadReply, Request
from growbox_tui.models.reply_reader import THINK
from growbox_tui.models.tool_grammar import CLOSE, OPEN, instructions

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{{ '<|im_start|>assistant\n' }}"
)
"""For files without a template: the commonest format. Jinja drops a last newline of its source,
so that one stands in an expression."""
_SLOT = re.compile("\ue000(\\d+)\ue001")
_FIXED_DATE = "26 Jul 2024"
"""Some templates print today's date into the system text, which would move the prompt each day."""

Turn = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a prompt."""

    text: str
    special: bool
    """Whether names of control tokens in it are meant as such."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered request."""

    segments: tuple[Segment, ...]
    thinking: bool
    """The template has opened a thought already."""


class Template:
    """A model's chat template."""

    def __init__(self, source: str, *, bos: str, eos: str) -> None:
        """Raises ``BadReply`` if ``source`` is not a Jinja template."""
        from jinja2 import TemplateError
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        self.bos = bos
        try:
            self._formatter = Jinja2ChatFormatter(source or CHATML, eos, bos)
        except TemplateError as error:
            raise BadReply(f"The model's chat template cannot be read: {error}") from error
        # Templates of other call formats, such as XML inside the same marks, get our own words.
        self.knows_tools = OPEN in source and "tools" in source and "<function=" not in source

    def render(self, request: Request, name: str, *, tools: bool) -> Prompt:
        """The prompt for a request. ``name`` is the model's own, whose thoughts it may see again.
        Without ``tools`` earlier calls are shown as text and none can be made.
        Raises ``BadReply`` if the template refuses the conversation."""
        from jinja2 import TemplateError

        native = tools and self.knows_tools
        contents: list[str] = []
        turns = conversation(request, name, native=native, tools=tools, contents=contents)
        given = [{"type": "function", "function": json.loads(tool)} for tool in request.tools]
        try:
            try:
                text = self._rendered(turns, given if native else None)
            except (TemplateError, ValueError):
                # Some templates refuse a system message; it then leads the first user message.
                text = self._rendered(without_system(turns), given if native else None)
        except (TemplateError, ValueError, TypeError) as error:
            raise BadReply(
                f"The model's chat template refuses this conversation: {error}",
                "Start a new session, or take another model.",
            ) from error
        return Prompt(_segments(text, contents), text.rstrip().endswith(THINK))

    def _rendered(self, turns: Sequence[Turn], tools: list[Turn] | None) -> str:
        found = self._formatter(messages=list(turns), tools=tools, date_string=_FIXED_DATE)
        return str(found.prompt)


def conversation(
    request: Request, name: str, *, native: bool, tools: bool, contents: list[str]
) -> list[Turn]:
    """The messages as templates take them: neighbours of one role are one turn, so that turns
    alternate, and there is a placeholder for each content, which is appended to ``contents``.

    A turn that grows only does so at its end: nothing before it moves.
    """

    def slot(text: str) -> str:
        if not text:
            return ""
        contents.append(text)
        return f"\ue000{len(contents) - 1}\ue001"

    system = list(request.system)
    if tools and not native and request.tools:
        system.append(instructions(request.tools))
    turns: list[Turn] = []
    if any(system):
        turns.append({"role": "system", "content": slot("\n\n".join(filter(None, system)))})
    for message in request.messages:
        turn = _turn(message, name, native, slot)
        if turns and turns[-1]["role"] == turn["role"] != "tool":
            _join(turns[-1], turn)
        else:
            turns.append(turn)
    return turns


def _join(turn: Turn, more: Turn) -> None:
    """Let a turn go on with another of its role. Each result of a tool stays one of its own."""
    for key, joint in (("reasoning_content", "\n"), ("content", "\n\n")):
        if found := [each[key] for each in (turn, more) if each.get(key)]:
            turn[key] = joint.join(found)
    if calls := [*turn.get("tool_calls", ()), *more.get("tool_calls", ())]:
        turn["tool_calls"] = calls


def _turn(message: Message, name: str, native: bool, slot: Callable[[str], str]) -> Turn:
    if message.role == "tool":
        result = "\n".join(part.content for part in message.parts if isinstance(part, ToolResult))
        if native:
            return {"role": "tool", "content": slot(result)}
        return {"role": "user", "content": f"<tool_response>\n{slot(result)}\n</tool_response>"}
    # Each part is a content of its own: the tokens of one do not depend on what follows it.
    texts = [slot(part.text) for part in message.parts if isinstance(part, Text)]
    words = "\n\n".join(filter(None, texts))
    if message.role == "user":
        return {"role": "user", "content": words}
    turn: Turn = {"role": "assistant", "content": words}
    thoughts = [p.text for p in message.parts if isinstance(p, Thinking) and p.wire == name]
    if thoughts:
        turn["reasoning_content"] = slot("\n".join(thoughts))
    if native and message.calls:
        turn["tool_calls"] = [_native_call(call, slot) for call in message.calls]
    elif message.calls:
        lines = [words, *(_written_call(call, slot) for call in message.calls)]
        turn["content"] = "\n".join(filter(None, lines))
    return turn


def _native_call(call: ToolCall, slot: Callable[[str], str]) -> Turn:
    arguments = _inside(_arguments(call), slot)
    function = {"name": call.name, "arguments": arguments}
    return {"type": "function", "id": call.id, "function": function}


def _written_call(call: ToolCall, slot: Callable[[str], str]) -> str:
    body = {"name": call.name, "arguments": _arguments(call)}
    return f"{OPEN}\n{slot(json.dumps(body, ensure_ascii=False))}\n{CLOSE}"


def _arguments(call: ToolCall) -> Any:
    try:
        return json.loads(call.arguments)
    except json.JSONDecodeError:
        # Stored as another model wrote it; this one only reads what was tried.
        return {"text": call.arguments}


def _inside(value: Any, slot: Callable[[str], str]) -> Any:
    """Placeholders for the strings in a JSON value, escaped as the template's JSON needs them."""
    if isinstance(value, str):
        return slot(json.dumps(value, ensure_ascii=False)[1:-1])
    if isinstance(value, dict):
        return {key: _inside(item, slot) for key, item in value.items()}
    if isinstance(value, list):
        return [_inside(item, slot) for item in value]
    return value


def without_system(turns: Sequence[Turn]) -> list[Turn]:
    """The same conversation with the system text at the head of the first user message."""
    if not turns or turns[0]["role"] != "system":
        return list(turns)
    system, *rest = turns
    if rest and rest[0]["role"] == "user":
        first = {**rest[0], "content": f"{system['content']}\n\n{rest[0]['content']}"}
        return [first, *rest[1:]]
    return [{"role": "user", "content": system["content"]}, *rest]


def _segments(text: str, contents: Sequence[str]) -> tuple[Segment, ...]:
    """The template's own text and the contents, in turn."""
    pieces = _SLOT.split(text)
    segments = [
        Segment(contents[int(piece)], False) if index % 2 else Segment(piece, True)
        for index, piece in enumerate(pieces)
    ]
    return tuple(segment for segment in segments if segment.text)
