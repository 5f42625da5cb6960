"""Request bodies of the Anthropic messages format, equal to the byte for equal requests."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult
from growbox_tui.models.cache_fields import CacheFields, fields_for
from growbox_tui.models.cache_marks import Markable
from growbox_tui.models.model_family import binds_thinking
from growbox_tui.models.openai_body import dumps, entry_asked
from growbox_tui.models.pairing import traced, wire_id, wire_name
from growbox_tui.models.pieces import mend
from growbox_tui.models.protocol import Request

Block = dict[str, Any]

REPLY = "reply"
"""The tool by which a reply of a given shape comes."""
_ALL = fields_for("anthropic/")
_THOUGHTS = ("thinking", "redacted_thinking")


def render_body(
    request: Request, *, model: str, wire: str, max_tokens: int, fields: CacheFields = _ALL
) -> str:
    """The body as text: settings, tools, system, messages, with exactly the request's marks.
    ``fields`` is what the server takes of them."""
    markable = Markable()
    system = _system(request, markable)
    messages = render_messages(request, wire, markable)
    if fields.marks:
        written = [mark for mark in request.marks if not mark.read_only]
        markable.mark(written, fields.marks, lambda mark: entry_asked(mark, fields))
    body = [f'"model":{dumps(model)}', f'"max_tokens":{max_tokens}', '"stream":true']
    if request.tools:
        body.append(f'"tools":[{",".join(_tool(tool) for tool in request.tools)}]')
    if request.schema:
        # This format has shapes for calls alone, so the reply is one.
        shape = json.loads(request.schema)
        tool = {"name": REPLY, "description": "Your reply.", "input_schema": shape}
        body.append(f'"tools":[{dumps(tool)}]')
        body += [f'"tool_choice":{dumps({"type": "tool", "name": REPLY})}', '"temperature":0']
    if system:
        body.append(f'"system":{dumps(system)}')
    body.append(f'"messages":{dumps(messages)}')
    return mend("{" + ",".join(body) + "}")


def _system(request: Request, markable: Markable) -> list[Block]:
    blocks: list[Block] = []
    for index, text in enumerate(request.system):
        if text.strip():
            blocks.append({"type": "text", "text": text})
            markable.note("system", index, 0, blocks[-1])
    return blocks


@lru_cache(maxsize=256)
def _tool(tool: str) -> str:
    """A stored tool with its schema under the name that this format has for it."""
    value = json.loads(tool)
    return dumps({"input_schema" if name == "parameters" else name: value[name] for name in value})


def render_messages(
    request: Request, wire: str, markable: Markable | None = None
) -> list[dict[str, Any]]:
    """The messages as block lists. Neighbours of one role become one message: results of parallel
    calls must stand together, and the server joins the rest anyway.

    A model that binds its thinking to what stands before it gets none back from messages that were
    carried into another epoch; what is left out is always a leading run, which it allows.
    """
    markable = Markable() if markable is None else markable
    bound = request.carried if binds_thinking(wire) else 0
    out: list[dict[str, Any]] = []
    for source, message in traced(request.messages):
        role = "assistant" if message.role == "assistant" else "user"
        if role == "user":
            parts = _user(message)
        else:
            parts = _assistant(message, "" if source < bound else wire)
        for part, block in parts:
            if block["type"] not in _THOUGHTS:
                markable.note("message", source, part, block)
        blocks = [block for _, block in parts]
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks
        elif blocks:
            out.append({"role": role, "content": blocks})
    return out


def _user(message: Message) -> list[tuple[int, Block]]:
    """The blocks, each with the index of the part that it holds."""
    blocks: list[tuple[int, Block]] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, ToolResult):
            result: Block = {
                "type": "tool_result",
                "tool_use_id": wire_id(part.call_id, "anthropic"),
                "content": part.content if part.content.strip() else "(no output)",
            }
            if part.is_error:
                result["is_error"] = True
            blocks.append((at, result))
        elif isinstance(part, Text) and part.text.strip():
            blocks.append((at, {"type": "text", "text": part.text}))
    return blocks or [(0, {"type": "text", "text": "(no words)"})]


def _assistant(message: Message, wire: str) -> list[tuple[int, Block]]:
    """As ``_user``; without thinking for an empty ``wire``."""
    said: list[tuple[int, Block]] = []
    calls: list[tuple[int, Block]] = []
    for at, part in enumerate(message.parts):
        if isinstance(part, Thinking) and wire and part.wire == wire and part.opaque:
            said.append((at, json.loads(part.opaque)))
        elif isinstance(part, Text) and part.text.strip():
            said.append((at, {"type": "text", "text": part.text}))
        elif isinstance(part, ToolCall):
            calls.append((at, _call(part)))
    if not calls and all(block["type"] in _THOUGHTS for _, block in said):
        # A message of thoughts alone is refused; without calls there is nothing they belong to.
        said = []
    return [*said, *calls]


def _call(call: ToolCall) -> Block:
    return {
        "type": "tool_use",
        "id": wire_id(call.id, "anthropic"),
        "name": wire_name(call.name),
        "input": json.loads(call.arguments),
    }
