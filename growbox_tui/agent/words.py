"""Words: parts of what is told, joined into sentences."""

from __future__ import annotations

ENDS = ".!?…。！？:："
"""Signs after which no full stop is missing."""


def sentences(*parts: str) -> str:
    """The parts that say something, each ended with a stop; all but the first begin as sentences
    do, unless they begin with a name (``growbox``, ``openai/x``, a path)."""
    told: list[str] = []
    for text in (part.strip() for part in parts):
        if not text:
            continue
        text = opened(text) if told else text
        told.append(text if text[-1] in ENDS else f"{text}.")
    return " ".join(told)


def opened(text: str) -> str:
    """The text as a sentence begins, unless it begins with a name."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    if not first.isalpha() or first == "growbox":
        return text
    return text[0].upper() + text[1:]
