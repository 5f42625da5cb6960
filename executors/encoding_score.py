"""How well a text reads in the language that its encoding was made for.

Each character outside ASCII weighs between -3 and +3; the score is the mean over the bytes that
they took, so that readings of different lengths compare.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from executors.common_characters import HANGUL, KANJI, PUNCTUATION, SIMPLIFIED, TRADITIONAL

SAMPLE = 4_000
"""Characters that are weighed; more add nothing."""
COMMON, MARK, PLAIN, RARE, ODD = 3.0, 1.5, 0.3, -0.7, -2.0


def _lead_and_trail(char: str, codec: str) -> tuple[int, int]:
    raw = char.encode(codec)
    return raw[0], raw[1] if len(raw) > 1 else 0


def _kana(char: str) -> bool:
    return "\u3041" <= char <= "\u30f6"


def _simplified(char: str) -> float:
    if char in SIMPLIFIED:
        return COMMON
    if _kana(char):
        return -1.0
    lead, trail = _lead_and_trail(char, "gb18030")
    if trail < 0xA1:
        return ODD
    if 0xB0 <= lead <= 0xD7:
        return PLAIN
    return RARE if 0xD8 <= lead <= 0xF7 else 0.0 if lead <= 0xA9 else ODD


def _traditional(char: str) -> float:
    if char in TRADITIONAL:
        return COMMON
    lead, _ = _lead_and_trail(char, "big5hkscs" if not _encodes(char, "cp950") else "cp950")
    if 0xA4 <= lead <= 0xC6:
        return PLAIN
    return RARE if 0xC9 <= lead <= 0xF9 else 0.0 if 0xA1 <= lead <= 0xA3 else ODD


def _encodes(char: str, codec: str) -> bool:
    try:
        char.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


def _shift_jis(char: str) -> float:
    if "\uff61" <= char <= "\uff9f":
        return -1.0
    if _kana(char):
        return 2.5
    if char in KANJI:
        return COMMON
    lead, _ = _lead_and_trail(char, "cp932")
    return PLAIN if 0x88 <= lead <= 0x97 else RARE if lead >= 0x98 else 0.0


def _euc_jp(char: str) -> float:
    if _kana(char):
        return 2.5
    if char in KANJI:
        return COMMON
    lead, _ = _lead_and_trail(char, "euc_jp")
    if lead in (0x8E, 0x8F):
        return ODD
    return PLAIN if 0xB0 <= lead <= 0xCF else RARE if lead >= 0xD0 else 0.0


def _korean(char: str) -> float:
    if char in HANGUL:
        return COMMON
    lead, trail = _lead_and_trail(char, "cp949")
    if trail < 0xA1 or lead >= 0xCA or lead in (0xC9, 0xFE):
        return ODD
    return PLAIN if lead >= 0xB0 else -0.5


WEIGHTS: dict[str, Callable[[str], float]] = {
    "gbk": _simplified,
    "gb18030": _simplified,
    "cp950": _traditional,
    "big5hkscs": _traditional,
    "cp932": _shift_jis,
    "euc_jp": _euc_jp,
    "cp949": _korean,
}


def east_asian_score(text: str, codec: str) -> float:
    """Mean weight of the characters outside ASCII, by bytes; 0 where there are none."""
    weigh = WEIGHTS[codec]
    total = size = 0.0
    for char in islice((char for char in text if char > "\x7f"), SAMPLE):
        width = len(char.encode(codec))
        if char in PUNCTUATION:
            weight = MARK
        elif "\ue000" <= char <= "\uf8ff" or char < "\xa0":
            weight = -3.0
        else:
            weight = weigh(char)
        total += weight * width
        size += width
    return total / size if size else 0.0


def western_score(text: str) -> float:
    """The same for one byte a character: accents stand alone among plain letters."""
    total = size = 0.0
    for place, char in islice(((i, c) for i, c in enumerate(text) if c > "\x7f"), SAMPLE):
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        total += _western(char, before, after)
        size += 1
    return total / size if size else 0.0


def _western(char: str, before: str, after: str) -> float:
    if char < "\xa0":
        return -3.0
    if before > "\x7f" and after > "\x7f":
        return ODD
    if before > "\x7f" or after > "\x7f":
        return RARE
    if char.isalpha():
        return 2.0 if before.isalpha() or after.isalpha() else PLAIN
    return 1.0
