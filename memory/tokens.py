"""How many tokens a text will take, without a tokenizer.

Four characters a token holds for English alone; Chinese takes about 0.8 tokens a character, and
dense code more than prose. The weights err on the safe side by a few per cent for both.
"""

from __future__ import annotations

ASCII_TOKENS = 0.27
"""Tokens an ASCII character."""
OTHER_TOKENS = 0.85
"""Tokens for any other character: CJK is the common case and 0.78 was measured for it."""


def estimate(text: str) -> int:
    """Estimated tokens of a text, at least 1 unless it is empty."""
    if not text:
        return 0
    ascii_count = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return max(1, round(ascii_count * ASCII_TOKENS + (len(text) - ascii_count) * OTHER_TOKENS))
