"""Judging: how much each line of the chain bears on what is worked on, by vectors. Pure."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.context.eviction import Vector, relevance
from memory.types import Line


@dataclass(frozen=True, slots=True)
class Judged:
    """The lines with embedding and relevance."""

    lines: tuple[Line, ...] = ()
    task: tuple[float, ...] | None = None
    """The vector of what is worked on; ``None`` where nothing could be embedded."""


def to_embed(lines: Sequence[Line], task: str) -> list[str]:
    """The texts whose vectors ``judged`` needs: of the lines that have none, and of the task."""
    return [*(line.text for line in lines if line.embedding is None), task]


def judged(lines: Sequence[Line], made: Sequence[bytes]) -> Judged:
    """Judge each line by the task and by what the user had said when it was written.

    ``made``: what ``to_embed`` asked for, as little-endian float32.
    """
    *missing, task = (unpacked(vector) for vector in made)
    new = iter(missing)
    whole = [
        line if line.embedding is not None else replace(line, embedding=next(new)) for line in lines
    ]
    previous: Vector | None = None
    found = []
    for line in whole:
        near = relevance(line.embedding, task, previous)
        found.append(replace(line, relevance=near))
        if line.role == "user":
            previous = line.embedding
    return Judged(tuple(found), task)


def unpacked(vector: bytes) -> tuple[float, ...]:
    """Numbers from little-endian float32."""
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)
