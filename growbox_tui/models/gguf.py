"""GGUF headers: whether a file is one, and the context length it was trained for.

Reads the first keys only, without llama.cpp, so that a model is judged before it is loaded.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from growbox_tui.models.protocol import UnknownModel

_HINT = "Name a model file in GGUF format (…/name.gguf), or leave the model to growbox."
_FORMATS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
"""GGUF's numbers for fixed-size types, as ``struct`` formats."""
_STRING, _ARRAY = 8, 9
_LONGEST_TEXT = 1 << 20
_LONGEST_ARRAY = 1_000
_VOCABULARY = object()
"""Stands for an array that would take longer to walk than it is worth; the keys that are looked
for stand before the vocabulary in all common files."""


def trained_context(path: Path) -> int | None:
    """Tokens of context that the model was trained for; ``None`` where the header does not say it
    before its vocabulary. Raises ``UnknownModel`` for anything that is not a whole GGUF header."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UnknownModel(f"{path} is not a GGUF file.", _HINT)
            return _find_context(file)
    except FileNotFoundError as error:
        raise UnknownModel(f"There is no file {path}.", _HINT) from error
    except OSError as error:
        raise UnknownModel(f"{path} cannot be read: {error.strerror}.", _HINT) from error
    except (struct.error, UnicodeDecodeError, KeyError, RecursionError) as error:
        words = f"{path} is cut short or damaged: its header does not end."
        raise UnknownModel(words, _HINT) from error


def _find_context(file: BinaryIO) -> int | None:
    _, _, keys = _read(file, "IQQ")
    for _ in range(keys):
        key = _read_text(file)
        value = _read_value(file, _read(file, "I")[0])
        if key.endswith(".context_length") and isinstance(value, int):
            return value
        if value is _VOCABULARY:
            return None
    return None


def _read_value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _read_text(file)
    if kind != _ARRAY:
        return _read(file, _FORMATS[kind])[0]
    inner, length = _read(file, "IQ")
    if length > _LONGEST_ARRAY:
        return _VOCABULARY
    return [_read_value(file, inner) for _ in range(length)]


def _read(file: BinaryIO, form: str) -> tuple[int, ...]:
    form = "<" + form
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _read_text(file: BinaryIO) -> str:
    length = _read(file, "Q")[0]
    data = file.read(length) if length <= _LONGEST_TEXT else b""
    if len(data) != length:
        raise struct.error("a text longer than the file")
    return data.decode("utf-8")
