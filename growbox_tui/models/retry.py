"""Retry: how long to wait before the next try, and when to stop trying."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from growbox_tui.models.protocol import CutStream, EmptyReply, ModelError, RateLimited, Silent

MAX_TRIES = 5
MAX_WAIT = 60.0
"""Seconds: neither one wait nor all tries of one request together take longer."""
JITTER = 0.1
"""Share by which a wait is varied, so that many clients do not come back at one moment."""


def next_try(
    error: ModelError, attempt: int, spent_s: float, rng: random.Random | None = None
) -> float | None:
    """Seconds to wait before another try; ``None`` means stop and tell the user.

    ``attempt`` counts the tries that failed, from 1. ``spent_s`` are the seconds since the first
    failure. Without ``rng`` nothing is varied.
    """
    if not error.retryable:
        return None
    limit = {EmptyReply: 1, Silent: 1, CutStream: 2}.get(type(error), MAX_TRIES)
    if attempt > limit:
        return None
    asked = error.retry_after
    wait = float(2 ** (attempt - 1)) if asked is None else max(asked, 0.0)
    if wait > MAX_WAIT or spent_s + wait > MAX_WAIT:
        return None
    if rng is not None and (asked is not None or isinstance(error, RateLimited)):
        wait = min(wait * rng.uniform(1 - JITTER, 1 + JITTER), MAX_WAIT)
    return wait


_IN_WORDS = re.compile(
    r"try again in (?:(\d+)h)?(?:(\d+)m(?!s))?\s*(?:(\d+(?:\.\d+)?)\s*(ms|s))?", re.IGNORECASE
)
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')


def asked_wait(headers: Mapping[str, str], body: str = "") -> float | None:
    """Seconds that a provider asked us to wait: ``retry-after-ms``, ``retry-after`` (seconds or a
    date, counted from the response's own ``date``), or its words. ``None`` if it did not say."""
    if (exact := _number(headers.get("retry-after-ms", ""))) is not None:
        return exact / 1000
    said = headers.get("retry-after", "").strip()
    if (seconds := _number(said)) is not None:
        return seconds
    if said and (until := _until(said, headers.get("date", ""))) is not None:
        return until
    if delay := _DELAY.search(body):
        return float(delay.group(1))
    words = _IN_WORDS.search(body)
    if words is None or not any(words.groups()):
        return None
    hours, minutes, number, unit = words.groups()
    rest = float(number or 0) / (1000 if (unit or "").lower() == "ms" else 1)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + rest


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None


def _until(date: str, now: str) -> float | None:
    """Seconds from one HTTP date to another; the local clock may be wrong, the server's two dates
    fit each other."""
    try:
        then = parsedate_to_datetime(date)
        start = parsedate_to_datetime(now) if now else datetime.now(UTC)
        return max(0.0, (then - start).total_seconds())
    except (ValueError, TypeError):
        return None
