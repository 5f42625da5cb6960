"""A request body as a prefix cache sees it: tools, then system, then messages.

Tokens are counted as four characters each, so that figures of different agents compare.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

READ_UNITS = 0.1
"""What a token costs that the cache serves; an uncached one costs 1."""
WRITE_UNITS = 1.25
"""What a token costs that the cache takes in."""
SLACK = 8
"""Characters by which a request may miss its bound: the bracket that closed the one before."""


@dataclass(frozen=True, slots=True)
class Share:
    """How one request stands to the one before it, in characters."""

    size: int
    cached: int
    """The common prefix of both."""
    bound: int
    """The shorter of both: what a prompt that only grows would reach."""

    @property
    def broken(self) -> bool:
        """Whether bytes were changed that had been sent before."""
        return self.cached < self.bound - SLACK


def without_marks(value: Any) -> Any:
    """The same value without ``cache_control``: marks steer a cache and are no part of its text."""
    if isinstance(value, dict):
        return {key: without_marks(item) for key, item in value.items() if key != "cache_control"}
    if isinstance(value, list):
        return [without_marks(item) for item in value]
    return value


def blocks(body: dict[str, Any]) -> list[str]:
    """The body's tools, system text and messages as JSON texts, in the order a cache hashes."""
    parts = [*(body.get("tools") or [])]
    if body.get("system"):
        parts.append(body["system"])
    parts += body.get("messages") or []
    return [json.dumps(without_marks(part)) for part in parts]


def common(before: Sequence[str], after: Sequence[str]) -> int:
    """Characters of the longest common prefix of two laid-out requests."""
    total = 0
    for left, right in zip(before, after, strict=False):
        if left == right:
            total += len(left)
            continue
        pairs = zip(left, right, strict=False)
        return total + next(
            (place for place, (one, other) in enumerate(pairs) if one != other),
            min(len(left), len(right)),
        )
    return total


def share(before: Sequence[str] | None, after: Sequence[str]) -> Share:
    """What of ``after`` repeats ``before``; nothing, for a first request."""
    size = sum(map(len, after))
    if before is None:
        return Share(size, 0, 0)
    return Share(size, common(before, after), min(size, sum(map(len, before))))


def shares(bodies: Sequence[dict[str, Any]]) -> list[Share]:
    """One ``Share`` for each request that offers tools, in order."""
    laid = [blocks(body) for body in bodies if body.get("tools")]
    return [share(laid[place - 1] if place else None, each) for place, each in enumerate(laid)]


def units(of: Sequence[Share]) -> int:
    """The input of all requests, in units of one uncached token."""
    fresh = sum(each.size - each.cached for each in of)
    return round((WRITE_UNITS * fresh + READ_UNITS * sum(each.cached for each in of)) / 4)
