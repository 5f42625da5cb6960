"""Request bodies of the OpenAI chat completion format, equal to the byte for equal requests.

Tools go in as the very text that is stored. What never changes stands first, messages last, so of
two requests of a conversation the shorter is a prefix of the longer up to its closing brackets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from growbox_tui.agent.messages import Message, Text, Thinking, ToolResult
from growbox_tui.models.cache_fields import CacheFields
from growbox_tui.models.cache_marks import Markable
from growbox_tui.models.model_family import binds_thinking
from growbox_tui.models.pairing import traced, wire_id, wire_name
from growbox_tui.models.pieces import mend
from growbox_tui.models.protocol import Mark, Request

_NOTHING = CacheFields()


def dumps(value: Any) -> str:
    """Compact JSON in the given key order, other scripts unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def render_body(
    request: Request,
    *,
    model: str,
    wire: str,
    id_form: str = "",
    thinking_back: bool = True,
    output_field: str = "max_tokens",
    fields: CacheFields = _NOTHING,
    alternate: bool = False,
) -> str:
    """The body as text. ``model`` is the provider's own name for it, ``wire`` ours; the rest says
    what the server understands."""
    messages, marks = render_messages(
        request,
        wire=wire,
        id_form=id_form,
        thinking_back=thinking_back,
        fields=fields,
        alternate=alternate,
    )
    body = [f'"model":{dumps(model)}', '"stream":true']
    if fields.usage:
        body.append('"stream_options":{"include_usage":true}')
    if request.max_output:
        body.append(f"{dumps(output_field)}:{request.max_output}")
    body += [f"{dumps(name)}:{dumps(value)}" for name, value in _settings(request, fields, marks)]
    if request.schema:
        body += ['"temperature":0', f'"response_format":{dumps(response_format(request.schema))}']
    if request.tools:
        tools = ",".join(f'{{"type":"function","function":{tool}}}' for tool in request.tools)
        body.append(f'"tools":[{tools}]')
    body.append(f'"messages":[{",".join(dumps(message) for message in messages)}]')
    return mend("{" + ",".join(body) + "}")


def response_format(schema: str) -> dict[str, Any]:
    """How this format asks for a reply of a shape."""
    shape = {"name": "reply", "strict": True, "schema": json.loads(schema)}
    return {"type": "json_schema", "json_schema": shape}


def _settings(request: Request, fields: CacheFields, marks: int) -> list[tuple[str, Any]]:
    """What is said of the cache beside the messages."""
    found: list[tuple[str, Any]] = []
    if fields.key and request.session:
        found.append((fields.key, request.session))
    if fields.retention:
        found.append(("prompt_cache_retention", fields.retention))
    if fields.options and marks:
        found.append(("prompt_cache_options", {"mode": "explicit"}))
    if fields.cache_prompt:
        found.append(("cache_prompt", True))
    return found


def render_messages(
    request: Request,
    *,
    wire: str,
    id_form: str = "",
    thinking_back: bool = True,
    fields: CacheFields = _NOTHING,
    alternate: bool = False,
) -> tuple[list[dict[str, Any]], int]:
    """The system text and all messages as the format's objects, and how many marks they carry.

    Where marks are taken, all words but a reply's stand in block lists, marked or not: a mark that
    moves on changes nothing but itself. ``alternate`` joins neighbouring messages of the user, for
    servers whose templates refuse two in a row.
    """
    markable = Markable()
    out = _system(request, bool(fields.marks), markable)
    bound = request.carried if binds_thinking(wire) else 0
    for source, message in traced(request.messages):
        own = wire if thinking_back and source >= bound else ""
        value = _render(message, own, id_form)
        if fields.marks and message.role != "assistant":
            value["content"] = _blocks(message, source, markable)
        if alternate and out and value["role"] == out[-1]["role"] == "user":
            out[-1]["content"] += value["content"] if fields.marks else f"\n\n{value['content']}"
        else:
            out.append(value)
    if not fields.marks:
        return out, 0
    asked = [mark for mark in request.marks if fields.options or not mark.read_only]
    return out, markable.mark(asked, fields.marks, lambda mark: entry_asked(mark, fields))


def entry_asked(mark: Mark, fields: CacheFields) -> dict[str, str]:
    """The value of the field that asks for an entry."""
    if fields.marks == "prompt_cache_breakpoint":
        return {"mode": "explicit"}
    return {"type": "ephemeral", **({"ttl": "1h"} if mark.long and fields.long_marks else {})}


def _system(request: Request, as_blocks: bool, markable: Markable) -> list[dict[str, Any]]:
    texts = [(index, text) for index, text in enumerate(request.system) if text]
    if not texts:
        return []
    if not as_blocks:
        return [{"role": "system", "content": "\n\n".join(text for _, text in texts)}]
    blocks = [{"type": "text", "text": text} for _, text in texts]
    for (index, _), block in zip(texts, blocks, strict=True):
        markable.note("system", index, 0, block)
    return [{"role": "system", "content": blocks}]


def _blocks(message: Message, source: int, markable: Markable) -> list[dict[str, Any]]:
    """The words of a message of the user or a hand, each part a block."""
    texts = [
        (at, part.content if isinstance(part, ToolResult) else part.text)
        for at, part in enumerate(message.parts)
        if isinstance(part, ToolResult | Text)
    ]
    # An empty block is refused; where nothing else is said one must stand all the same.
    nothing = "(no output)" if message.role == "tool" else "(no words)"
    texts = [(at, text) for at, text in texts if text.strip()] or [(0, nothing)]
    blocks = [{"type": "text", "text": text} for _, text in texts]
    for (at, _), block in zip(texts, blocks, strict=True):
        markable.note("message", source, at, block)
    return blocks


def render_tools(request: Request) -> list[dict[str, Any]]:
    """The tools as the format's objects."""
    return [{"type": "function", "function": json.loads(tool)} for tool in request.tools]


def _render(message: Message, wire: str, id_form: str) -> dict[str, Any]:
    if message.role == "assistant":
        return _assistant(message, wire, id_form)
    for part in message.parts:
        if isinstance(part, ToolResult):
            return {
                "role": "tool",
                "tool_call_id": wire_id(part.call_id, id_form),
                "content": part.content,
            }
    return {"role": "user", "content": _joined(message)}


def _assistant(message: Message, wire: str, id_form: str) -> dict[str, Any]:
    text = _joined(message)
    calls = [
        {
            "id": wire_id(call.id, id_form),
            "type": "function",
            "function": {"name": wire_name(call.name), "arguments": call.arguments},
        }
        for call in message.calls
    ]
    out: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
    if calls:
        # Reasoning belongs to the calls it led to; providers drop or refuse it anywhere else.
        thoughts = [part for part in message.parts if isinstance(part, Thinking)]
        out |= _thinking([part for part in thoughts if wire and part.wire == wire])
        out["tool_calls"] = calls
    return out


def _thinking(thoughts: Sequence[Thinking]) -> dict[str, str]:
    """Reasoning under the field it came in; thoughts from ``<think>`` tags have none and stay."""
    out: dict[str, str] = {}
    for part in thoughts:
        field = json.loads(part.opaque).get("field") if part.opaque else None
        if isinstance(field, str):
            out[field] = out.get(field, "") + part.text
    return out


def _joined(message: Message) -> str:
    return "\n\n".join(part.text for part in message.parts if isinstance(part, Text))
