"""Tool calls of local models: how they are asked for, decoded under a grammar, and read back.

The convention is the one that most open models were trained on: JSON with ``name`` and
``arguments`` between ``<tool_call>`` and ``</tool_call>``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from growbox_tui.models.pieces import mend

OPEN, CLOSE = "<tool_call>", "</tool_call>"
MOST_CALLS = 8
"""Calls that one reply may hold."""
_NAME = re.compile(r'"name"\s*:\s*"([A-Za-z0-9_.-]+)"')
_ANYTHING = {"type": "object"}


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the model wrote it."""

    name: str
    arguments: str
    """JSON text; ``{}`` where it was cut."""
    broken: str = ""
    """Why it must not be run; empty if it is whole."""


def instructions(tools: Sequence[str]) -> str:
    """What a model is told whose own chat template knows nothing of tools. ``tools`` are the
    canonical JSON texts of a request, which are repeated byte for byte."""
    listed = "\n".join(tools)
    example = json.dumps({"name": "NAME", "arguments": {}})
    return (
        f"You can call these tools:\n{listed}\n"
        f"To call one, write {OPEN}{example}{CLOSE} and nothing after it. "
        "The result comes in <tool_response>. Otherwise answer in plain words."
    )


def grammar(tools: Sequence[str]) -> str:
    """GBNF, rule ``reply``: what may follow ``<tool_call>``, up to the end of the reply.

    Each call names a tool that there is and gives arguments of its schema's shape. A schema that
    cannot be put into a grammar becomes "any object"; the hands check arguments anyway.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    calls = [_call_schema(tool) for tool in tools]
    rules: str = json_schema_to_gbnf(json.dumps({"oneOf": calls}), prop_order=["name", "arguments"])
    again = f'(gap "{OPEN}" gap root gap "{CLOSE}"){{0,{MOST_CALLS - 1}}}'
    return f'{rules}\ngap ::= [ \\n]?\nreply ::= gap root gap "{CLOSE}" {again}\n'


def reply_grammar(schema: str) -> str:
    """GBNF, rule ``reply``: one JSON object of a schema's shape."""
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    rules: str = json_schema_to_gbnf(schema)
    return f"{rules}\nreply ::= root\n"


def _call_schema(tool: str) -> dict[str, Any]:
    body = json.loads(tool)
    parameters = body["parameters"]
    if not _expressible(parameters):
        parameters = _ANYTHING
    return {
        "type": "object",
        "properties": {"name": {"const": body["name"]}, "arguments": parameters},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def _expressible(schema: Any) -> bool:
    """Whether the converter takes this schema."""
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        json_schema_to_gbnf(json.dumps(schema))
    except Exception:  # noqa: BLE001
        # The converter has no error of its own: it raises whatever its code runs into
        # (AssertionError, KeyError, NotImplementedError …) on a schema it does not know.
        return False
    return True


def read_calls(text: str) -> list[WrittenCall]:
    """The calls in what was written after ``<tool_call>``. A last one that is cut comes out
    broken if its name can be told, else not at all."""
    decoder = json.JSONDecoder(strict=False)
    calls: list[WrittenCall] = []
    while (start := text.find("{")) >= 0:
        try:
            body, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError:
            if found := _NAME.search(text, start):
                why = "The reply ended inside this call, so its arguments are not whole."
                calls.append(WrittenCall(found[1], "{}", why))
            return calls
        arguments = body.get("arguments", {})
        # A grammar cannot rule out halves of characters, which no file can hold.
        whole = mend(json.dumps(arguments, ensure_ascii=False))
        calls.append(WrittenCall(str(body.get("name", "")), whole))
        text = text[end:].lstrip().removeprefix(CLOSE)
    return calls
