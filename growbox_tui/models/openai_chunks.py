"""Chunks of the OpenAI chat completion format, read into an assembler.

Also reads whole (unstreamed) answers, and the dialects of the many servers that speak this format.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from growbox_tui.models.arguments import as_text, strict_json
from growbox_tui.models.assembler import Assembler
from growbox_tui.models.faults import inband_error, is_error
from growbox_tui.models.pieces import mapping, plain_text
from growbox_tui.models.protocol import Delta

LEGACY = -1
"""The index under which the one ``function_call`` of the old format is kept."""
_REASONING = ("reasoning_content", "reasoning", "thinking")


def read_chunk(
    assembler: Assembler, chunk: Any, *, who: str, source: str = "", key_name: str = ""
) -> list[Delta]:
    """The deltas of one parsed chunk. ``source`` is the JSON text it was parsed from.

    Raises the ``ModelError`` of an in-band report, ``ValueError`` for what is no chunk at all.
    """
    if not isinstance(chunk, Mapping):
        raise ValueError("an event is not a JSON object")
    if is_error(chunk):
        raise inband_error(chunk, who=who, key_name=key_name)
    assembler.event("choices" in chunk or "usage" in chunk)
    _take_usage(assembler, chunk)
    choice = _first_choice(chunk.get("choices"))
    if choice is None:
        return []
    assembler.usage(choice.get("usage"))
    if choice.get("error"):
        raise inband_error(choice, who=who, key_name=key_name)
    deltas = _take_delta(assembler, mapping(choice.get("delta") or choice.get("message")), source)
    if isinstance(reason := choice.get("finish_reason"), str):
        assembler.finish(reason)
    return deltas


def _take_usage(assembler: Assembler, chunk: Mapping[str, Any]) -> None:
    assembler.usage(chunk.get("usage"))
    assembler.usage(mapping(chunk.get("x_groq")).get("usage"))
    timings = mapping(chunk.get("timings"))
    if "cache_n" in timings:
        # llama.cpp's server says here what it reused of the prompt.
        assembler.usage({"cached_tokens": timings["cache_n"]})


def _first_choice(choices: Any) -> Mapping[str, Any] | None:
    """The first choice; further ones are other answers to the same question."""
    if not isinstance(choices, list):
        return None
    found = (item for item in choices if isinstance(item, Mapping) and not item.get("index"))
    return next(found, None)


def _take_delta(assembler: Assembler, delta: Mapping[str, Any], source: str) -> list[Delta]:
    deltas: list[Delta] = []
    for name in _REASONING:
        if thought := plain_text(delta.get(name)):
            deltas += assembler.thinking(thought)
            assembler.opaque(json.dumps({"field": name}))
            break
    for part in _content_parts(delta.get("content")):
        deltas += part_deltas(assembler, part)
    if refusal := plain_text(delta.get("refusal")):
        deltas += assembler.text(refusal, refusal=True)
    given = delta.get("tool_calls")
    calls = given if isinstance(given, list) else []
    for place, call in enumerate(calls):
        if isinstance(call, Mapping):
            _take_call(assembler, call, place if len(calls) > 1 else None, source)
    if legacy := mapping(delta.get("function_call")):
        _take_call(assembler, {"function": legacy, "index": LEGACY}, None, source)
    return deltas


def _content_parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def part_deltas(assembler: Assembler, part: Any) -> list[Delta]:
    """The deltas of one content part; Mistral sends its reasoning as a part."""
    if isinstance(part, Mapping) and part.get("type") == "thinking":
        thought = plain_text(part.get("thinking"))
        return assembler.thinking(thought) if thought else []
    text = plain_text(part)
    return assembler.text(text) if text else []


def _take_call(
    assembler: Assembler, call: Mapping[str, Any], place: int | None, source: str
) -> None:
    function = mapping(call.get("function"))
    raw, fault = function.get("arguments"), ""
    if raw is not None and not isinstance(raw, str) and source:
        # The chunk was parsed leniently; an object that came inside it gets the strict reading.
        try:
            strict_json(source)
        except ValueError as error:
            fault = f"the arguments are not valid JSON: {error}"
    call_id, index, name = call.get("id"), call.get("index"), function.get("name")
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    has_index = isinstance(index, int) and not isinstance(index, bool)
    # Mistral writes a missing id as the word "null".
    given = "" if call_id in (None, "", "null", "None") else str(call_id)
    assembler.call(
        given,
        index if has_index else None if given else place,
        name if isinstance(name, str) else "",
        as_text(raw),
        fault,
    )
