"""References to the past: whether a question speaks of something that was said or done before."""

from __future__ import annotations

import re

_LOOKED_AT = 2_000
"""Characters; a longer text is pasted, and only its beginning can be a question."""

_BACK = re.compile(
    r"""\b(?:
      as \s+ (?:we|you|i) \s+ (?:\w+ \s+)? (?:said|agreed|decided|discussed|mentioned|planned)
    | (?:we|you|i) \s+ (?:already \s+)? (?:agreed|decided|discussed|talked|settled) \b
    | (?:like|as) \s+ (?:last \s+ time|before)
    | last \s+ time | remember \s+ (?:when|how|what|that|the) | earlier \s+ (?:you|we|i)
    | (?:you|i|we) \s+ (?:said|told|mentioned) \s+ (?:before|earlier|once)
    | back \s+ (?:then|when)
    )
    | 上次 | 上回 | 之前(?:说|讲|提|聊|讨论|决定|定|做|用) | 以前(?:说|讲|提|聊|讨论|决定|定)
    | 我们(?:说过|决定|讨论过|定过|商量过|聊过|之前|约定) | 你(?:说过|提过|之前说)
    | 我(?:说过|提过|告诉过) | 还?记得 | 当时我们""",
    re.IGNORECASE | re.VERBOSE,
)


def refers_back(text: str) -> bool:
    """Whether a question refers to the past in so many words: "as we decided", 之前说过."""
    return _BACK.search(text[:_LOOKED_AT]) is not None
