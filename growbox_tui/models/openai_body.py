"""Request bodies of the OpenAI chat completion format, equal to the byte for equal requests.

Tools go in as the very text that is stored. What never changes stands first, messages last, so of
two requests of a conversation the shorter is a prefix of the longer up to its closing brackets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from growbox_tui.agent.messages import Message, Text, Thinking, ToolResult
from growbox_tui.models.pairing import paired, wire_id, wire_name
from growbox_tui.models.pieces import mend
from growbox_tui.models.protocol import Request


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
    include_usage: bool = True,
    output_field: str = "max_tokens",
    cache_key: bool = False,
) -> str:
    """The body as text. ``model`` is the provider's own name for it, ``wire`` ours; the flags say
    what the server understands."""
    fields = [f'"model":{dumps(model)}', '"stream":true']
    if include_usage:
        fields.append('"stream_options":{"include_usage":true}')
    if request.max_output:
        fields.append(f"{dumps(output_field)}:{request.max_output}")
    if cache_key and request.session:
        fields.append(f'"prompt_cache_key":{dumps(request.session)}')
    if request.tools:
        tools = ",".join(f'{{"type":"function","function":{tool}}}' for tool in request.tools)
        fields.append(f'"tools":[{tools}]')
    messages = render_messages(request, wire=wire, id_form=id_form, thinking_back=thinking_back)
    fields.append(f'"messages":[{",".join(dumps(message) for message in messages)}]')
    return mend("{" + ",".join(fields) + "}")


def render_messages(
    request: Request, *, wire: str, id_form: str = "", thinking_back: bool = True
) -> list[dict[str, Any]]:
    """The system text and all messages as the format's objects."""
    out: list[dict[str, Any]] = []
    system = "\n\n".join(block for block in request.system if block)
    if system:
        out.append({"role": "system", "content": system})
    for message in paired(request.messages):
        out.append(_render(message, wire if thinking_back else "", id_form))
    return out


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
