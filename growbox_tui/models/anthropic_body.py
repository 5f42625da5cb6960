"""Request bodies of the Anthropic messages format, equal to the byte for equal requests."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult
from growbox_tui.models.cache_marks import mark
from growbox_tui.models.openai_body import dumps
from growbox_tui.models.pairing import paired, wire_id, wire_name
from growbox_tui.models.pieces import mend
from growbox_tui.models.protocol import Request

Block = dict[str, Any]


def render_body(request: Request, *, model: str, wire: str, max_tokens: int) -> str:
    """The body as text: settings, tools, system, messages, with the cache marks set."""
    system: list[Block] = [
        {"type": "text", "text": text} for text in request.system if text.strip()
    ]
    messages = render_messages(request, wire)
    mark(system, messages)
    fields = [f'"model":{dumps(model)}', f'"max_tokens":{max_tokens}', '"stream":true']
    if request.tools:
        fields.append(f'"tools":[{",".join(_tool(tool) for tool in request.tools)}]')
    if system:
        fields.append(f'"system":{dumps(system)}')
    fields.append(f'"messages":{dumps(messages)}')
    return mend("{" + ",".join(fields) + "}")


@lru_cache(maxsize=256)
def _tool(tool: str) -> str:
    """A stored tool with its schema under the name that this format has for it."""
    value = json.loads(tool)
    return dumps({"input_schema" if name == "parameters" else name: value[name] for name in value})


def render_messages(request: Request, wire: str) -> list[dict[str, Any]]:
    """The messages as block lists. Neighbours of one role become one message: results of parallel
    calls must stand together, and the server joins the rest anyway."""
    out: list[dict[str, Any]] = []
    for message in paired(request.messages):
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _assistant(message, wire) if role == "assistant" else _user(message)
        if not blocks:
            continue
        if out and out[-1]["role"] == role and not _is_region(out, message):
            out[-1]["content"] += blocks
        else:
            out.append({"role": role, "content": blocks})
    return out


def _is_region(out: list[dict[str, Any]], message: Message) -> bool:
    """Whether what stands so far is the region alone: it keeps a message, and a mark, of its own
    although words of the user follow it."""
    return (
        len(out) == 1
        and out[0]["role"] == "user"
        and message.role == "user"
        and (len(out[0]["content"]) == 1)
    )


def _user(message: Message) -> list[Block]:
    blocks: list[Block] = []
    for part in message.parts:
        if isinstance(part, ToolResult):
            result: Block = {
                "type": "tool_result",
                "tool_use_id": wire_id(part.call_id, "anthropic"),
                "content": part.content if part.content.strip() else "(no output)",
            }
            if part.is_error:
                result["is_error"] = True
            blocks.append(result)
        elif isinstance(part, Text) and part.text.strip():
            blocks.append({"type": "text", "text": part.text})
    return blocks or [{"type": "text", "text": "(no words)"}]


def _assistant(message: Message, wire: str) -> list[Block]:
    said: list[Block] = []
    for part in message.parts:
        if isinstance(part, Thinking) and part.wire == wire and part.opaque:
            said.append(json.loads(part.opaque))
        elif isinstance(part, Text) and part.text.strip():
            said.append({"type": "text", "text": part.text})
    if all(block["type"] in ("thinking", "redacted_thinking") for block in said):
        # A message of thoughts alone is refused; without calls there is nothing they belong to.
        said = said if message.calls else []
    return [*said, *(_call(call) for call in message.calls)]


def _call(call: ToolCall) -> Block:
    return {
        "type": "tool_use",
        "id": wire_id(call.id, "anthropic"),
        "name": wire_name(call.name),
        "input": json.loads(call.arguments),
    }
