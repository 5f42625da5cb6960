"""Stated limit: the context size that a server names when it refuses a prompt as too long."""

from __future__ import annotations

import re

_NUMBER = r"(\d[\d,_]*)"
_WORDINGS = tuple(
    re.compile(wording.replace("#", _NUMBER), re.IGNORECASE)
    for wording in (
        r"\"n_ctx\"\s*:\s*#",
        r"maximum (?:context|model|prompt) length (?:is|of)(?: only)? #",
        r"available context size \(#",
        r"context (?:length|size|window) (?:is|of)(?: only)? #",
        r"(?:context|allowed|maximum) length \(#",
        r"too large for model with #",
        r"> #(?: maximum|\b)",
        r"model token limit: #",
        r"range of input length should be \[\d+, ?#",
        r"maximum number of tokens(?: allowed)? \(?#",
        r"configured limit of #",
        r"max_new_tokens` must be <= #",
        r"cannot exceed #",
        r"while limit is #",
    )
)


def stated_limit(text: str) -> int | None:
    """The context size in tokens that an error text states; ``None`` where it states none. Limits
    of another kind (tokens a minute, bytes) are no context size and are not read."""
    for wording in _WORDINGS:
        if found := wording.search(text):
            return int(re.sub(r"[,_]", "", found.group(1))) or None
    return None
