"""The replies of the provider with a cache: as streams, and as a client sends them back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tests.doubles.cache_layout import Body
from tests.doubles.cache_models import Served

if TYPE_CHECKING:
    from tests.doubles.cache_provider import Answer, Form

SIGNATURE = "c2lnbmVk"


def as_message(answer: Answer, ids: Sequence[str], of_anthropic: bool) -> Body:
    """The reply as a message of its format, all that the model wrote in it."""
    if of_anthropic:
        blocks = [_thought(answer.thinking)] if answer.thinking else []
        blocks += [{"type": "text", "text": answer.say}] if answer.say else []
        blocks += [
            {"type": "tool_use", "id": ident, "name": name, "input": arguments}
            for ident, (name, arguments) in zip(ids, answer.calls, strict=True)
        ]
        return {"role": "assistant", "content": blocks}
    message: Body = {"role": "assistant", "content": answer.say or None}
    if answer.thinking:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [_call(*each) for each in zip(ids, answer.calls, strict=True)]
    return message


def _thought(text: str) -> Body:
    return {"type": "thinking", "thinking": text, "signature": SIGNATURE}


def _call(ident: str, called: tuple[str, Body]) -> Body:
    name, arguments = called
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": ident, "type": "function", "function": function}


def chat_events(
    answer: Answer, ids: Sequence[str], served: Served, said: int, form: Form | None
) -> list[Body]:
    """The chunks of a streamed chat completion; usage in no ``form`` is not told."""
    message = as_message(answer, ids, of_anthropic=False)
    deltas: list[Body] = [{"role": "assistant"}]
    if answer.thinking:
        deltas.append({"reasoning_content": answer.thinking})
    if answer.say:
        half = len(answer.say) // 2
        deltas += [{"content": answer.say[:half]}, {"content": answer.say[half:]}]
    for index, call in enumerate(message.get("tool_calls") or []):
        deltas.append({"tool_calls": [{"index": index, **call}]})
    chunks: list[Body] = [_chunk([{"index": 0, "delta": delta}]) for delta in deltas]
    if answer.breaks:
        return chunks
    finish = answer.stop or ("tool_calls" if answer.calls else "stop")
    chunks.append(_chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
    if form is not None:
        chunks.append({**_chunk([]), "usage": chat_usage(served, said, form)})
    return chunks


def _chunk(choices: list[Body]) -> Body:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "choices": choices}


def chat_usage(served: Served, said: int, form: Form) -> Body:
    """The figures as this provider names them."""
    usage: Body = {"prompt_tokens": served.total, "completion_tokens": said}
    usage["total_tokens"] = served.total + said
    if form == "deepseek":
        usage["prompt_cache_hit_tokens"] = served.read
        usage["prompt_cache_miss_tokens"] = served.total - served.read
    elif form == "kimi":
        usage["cached_tokens"] = served.read
    else:
        details = {"cached_tokens": served.read, "cache_write_tokens": served.written}
        usage["prompt_tokens_details"] = details
    return usage


def anthropic_events(
    answer: Answer, ids: Sequence[str], served: Served, said: int
) -> list[dict[str, Any]]:
    """The events of a streamed Anthropic message."""
    usage: Body = {
        "input_tokens": served.total - served.read - served.written,
        "cache_read_input_tokens": served.read,
        "cache_creation_input_tokens": served.written,
        "cache_creation": {
            "ephemeral_5m_input_tokens": served.written - served.long_written,
            "ephemeral_1h_input_tokens": served.long_written,
        },
        "output_tokens": 1,
    }
    start: Body = {"id": "msg", "type": "message", "role": "assistant", "content": []}
    events: list[Body] = [{"type": "message_start", "message": {**start, "usage": usage}}]
    for index, block in enumerate(as_message(answer, ids, of_anthropic=True)["content"]):
        events += _block_events(index, block)
    if answer.breaks:
        return events[:-1]
    stop = "max_tokens" if answer.stop else "tool_use" if answer.calls else "end_turn"
    end = {"type": "message_delta", "delta": {"stop_reason": stop}}
    return [*events, {**end, "usage": {"output_tokens": said}}, {"type": "message_stop"}]


def _block_events(index: int, block: Body) -> list[Body]:
    deltas: list[Body]
    if block["type"] == "tool_use":
        begun = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    elif block["type"] == "thinking":
        begun = {**block, "thinking": "", "signature": ""}
        deltas = [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    else:
        begun = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": block["text"]}]
    return [
        {"type": "content_block_start", "index": index, "content_block": begun},
        *({"type": "content_block_delta", "index": index, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": index},
    ]
