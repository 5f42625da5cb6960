"""Judges what a voice made of a fault stream: outcome, text, calls, usage."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import jsonschema

from growbox_tui.agent.messages import Message, Text, ToolCall
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.http_stream import SILENCE_S
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Model, Request, TooLong
from growbox_tui.models.retry import next_try
from tests.doubles.collect import Collected, collect
from tests.doubles.stream_server import StreamServer, expand
from tests.doubles.told_silence import telling

_KINDS = {"string": "string", "int": "integer", "bool": "boolean", "number": "number"}


def tool(signature: str) -> str:
    """``run_shell(command:string!, timeout_s:int)`` as canonical JSON."""
    found = re.fullmatch(r"(\w+)\((.*)\)", signature)
    assert found is not None, signature
    properties, required = {}, []
    for field in filter(None, found.group(2).split(", ")):
        name, _, kind = field.partition(":")
        properties[name] = {"type": _KINDS[kind.removesuffix("!")]}
        if kind.endswith("!"):
            required.append(name)
    schema = {"properties": properties, "required": required, "type": "object"}
    value = {"description": "", "name": found.group(1), "parameters": schema}
    return json.dumps(value, separators=(",", ":"))


def request_for(row: Mapping[str, Any]) -> Request:
    tools = tuple(tool(signature) for signature in sorted(row.get("tools", [])))
    return Request(tools, ("Be brief.",), (Message("user", (Text("Go on."),)),))


def voice(row: Mapping[str, Any], url: str) -> Model:
    if row["wire"] == "anthropic-messages":
        base = url.removesuffix("/v1")
        return AnthropicModel("anthropic/m-1", base_url=base, key="k")
    return OpenAIModel("openai/m-1", base_url=url, key="k")


async def play(row: Mapping[str, Any]) -> Collected:
    if row.get("end") == "hang":
        pieces = [expand(text).decode() for text in row["writes"]]
        with telling(*pieces, SILENCE_S + 1):
            return await said(row, "http://127.0.0.1:9/v1")
    async with StreamServer([row]) as server:
        return await said(row, server.url)


async def said(row: Mapping[str, Any], url: str) -> Collected:
    model = voice(row, url)
    try:
        return await collect(model, request_for(row))
    finally:
        await model.close()


def dispatchable(row: Mapping[str, Any], got: Collected) -> list[ToolCall]:
    """The calls that would really run: known by their exact name, arguments fit the schema."""
    tools = {(value := json.loads(tool(text)))["name"]: value for text in row.get("tools", [])}
    calls = []
    for call in got.runnable:
        if call.name in tools:
            check = jsonschema.Draft202012Validator(tools[call.name]["parameters"])
            if check.is_valid(json.loads(call.arguments)):
                calls.append(call)
    return calls


def outcome(row: Mapping[str, Any], got: Collected) -> set[str]:
    """The words of the case files that describe what happened."""
    if got.error is not None:
        if isinstance(got.error, TooLong):
            return {"compact_then_retry", "stop_user"}
        if next_try(got.error, 1, 0.0) is None:
            return {"stop_user", "repair_history_once", "stop_or_retry_by_code"}
        visible = bool(got.text) or type(got.error).__name__ == "CutStream"
        return {"retry_visible" if visible else "retry", "stop_or_retry_by_code"}
    assert got.reply is not None
    asked, run = got.reply.message.calls, dispatchable(row, got)
    if got.reply.stop == "refusal":
        return {"stop_user"}
    if len(run) < len(asked):
        return {"repair", "complete"} if run else {"repair"}
    if got.reply.stop == "length":
        return {"ask_marked", "warn_complete"}
    return {"complete", "warn_complete"} if got.reply.notice else {"complete"}


def faults(row: Mapping[str, Any], got: Collected) -> list[str]:
    """What differs from the row's expectation, in words; empty when all is right."""
    expect, wrong = row["expect"], []
    found = outcome(row, got)
    if expect["outcome"] not in found:
        wrong.append(f"outcome {sorted(found)} for {expect['outcome']}: {got.error or got.reply}")
    if "text" in expect and got.text != expect["text"]:
        wrong.append(f"text {got.text[:80]!r}")
    calls = [{"name": c.name, "arguments": json.loads(c.arguments)} for c in dispatchable(row, got)]
    if "tool_calls" in expect and calls != expect["tool_calls"]:
        wrong.append(f"calls {calls}")
    if "usage" in expect and got.reply is not None:
        usage = got.reply.usage
        said = usage and {"in": usage.input, "out": usage.output, "cached": usage.cache_read}
        if said != expect["usage"]:
            wrong.append(f"usage {said}")
    asked = got.error.retry_after if got.error else None
    if "retry_after_s" in expect and asked != expect["retry_after_s"]:
        wrong.append(f"retry_after {asked}")
    return wrong
