"""The words and schema of a hand: the ``.md`` beside its module, and JSON Schema in short form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from executors.protocol import ExecutorSpec

STRING: Mapping[str, Any] = {"type": "string"}
INTEGER: Mapping[str, Any] = {"type": "integer"}
BOOLEAN: Mapping[str, Any] = {"type": "boolean"}


@cache
def words_of(name: str) -> str:
    """What the model reads about a hand: the text of ``name.md`` in this folder."""
    return Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8").strip()


def spec_of(name: str, required: Mapping[str, Any], **optional: Mapping[str, Any]) -> ExecutorSpec:
    """The spec of a hand from the schemas of its arguments."""
    schema: dict[str, Any] = {"type": "object", "properties": {**required, **optional}}
    if required:
        schema["required"] = list(required)
    return ExecutorSpec(name, words_of(name), schema)
