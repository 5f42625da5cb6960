"""The mind: one file of memory, and the ways it is found again.

Names are loaded when they are first used: a front end that only wants to catch
``MemoryFileError`` does not load SQLite for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.memory import Memory as Memory
    from memory.store.errors import Busy as Busy
    from memory.store.errors import MemoryFileError as MemoryFileError
    from memory.store.errors import NotMemory as NotMemory
    from memory.store.errors import NotWritable as NotWritable
    from memory.store.errors import TooLarge as TooLarge
    from memory.store.errors import TooNew as TooNew
    from memory.store.errors import VectorsUnavailable as VectorsUnavailable

_HOMES = {
    "Memory": "memory.memory",
    "MemoryFileError": "memory.store.errors",
    "NotMemory": "memory.store.errors",
    "TooNew": "memory.store.errors",
    "NotWritable": "memory.store.errors",
    "Busy": "memory.store.errors",
    "TooLarge": "memory.store.errors",
    "VectorsUnavailable": "memory.store.errors",
}

__all__ = [
    "Busy",
    "Memory",
    "MemoryFileError",
    "NotMemory",
    "NotWritable",
    "TooLarge",
    "TooNew",
    "VectorsUnavailable",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
