"""Encoding: what the bytes of a file are, and the exact way there and back.

Order of evidence: a byte order mark, strict UTF-8, NUL bytes (UTF-16 or binary), then the East
Asian and Western encodings by how well the text reads in each.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from executors.encoding_score import WEIGHTS, east_asian_score, western_score


@dataclass(frozen=True, slots=True)
class Encoding:
    """How text became bytes."""

    codec: str
    """A Python codec that writes no mark of its own, such as ``utf-8`` or ``gbk``."""
    bom: bytes = b""
    """The byte order mark in front; not part of the text."""
    errors: str = "strict"
    """``surrogateescape`` for UTF-8 with stray bytes."""
    score: float = 0.0
    """How well it reads; compares candidates of one file only."""

    @property
    def label(self) -> str:
        """For people: ``utf-8``, ``utf-8 with BOM``, ``gbk``."""
        name = _NAMES.get(self.codec, self.codec)
        damaged = ", damaged" if self.errors != "strict" else ""
        return name + (" with BOM" if self.codec == "utf-8" and self.bom else "") + damaged


UTF8 = Encoding("utf-8")
_NAMES = {
    "utf-16-le": "utf-16", "utf-16-be": "utf-16", "utf-32-le": "utf-32", "utf-32-be": "utf-32",
    "cp950": "big5", "big5hkscs": "big5-hkscs", "cp932": "shift-jis", "cp949": "euc-kr",
    "euc_jp": "euc-jp",
}  # fmt: skip
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x7fELF", b"BZh",
    b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"\xca\xfe\xba\xbe", b"OggS", b"ID3", b"wOF",
)  # fmt: skip
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x19\x1c-\x1f]")
"""Bytes that text in a legacy encoding does not hold; tab to CR, SUB and ESC may."""
_NOT_BELOW = -0.5
"""An East Asian reading worse than this is no reading."""


def decode(data: bytes, encoding: Encoding) -> str:
    """The text behind the mark. Raises ``UnicodeDecodeError`` where the bytes do not fit."""
    return data[len(encoding.bom) :].decode(encoding.codec, encoding.errors)


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes of a whole file, mark included. Raises ``UnicodeEncodeError`` for what the
    encoding has no bytes for."""
    return encoding.bom + text.encode(encoding.codec, encoding.errors)


def detect(data: bytes) -> Encoding | None:
    """The likeliest encoding; ``None`` for binary."""
    found = candidates(data)
    return found[0] if found else None


def candidates(data: bytes) -> tuple[Encoding, ...]:
    """All encodings that the bytes could be in, likeliest first; none for binary. With a mark,
    or where the bytes are UTF-8, there is only one."""
    for mark, codec in _MARKS:
        if data.startswith(mark) and _fits(data, Encoding(codec, mark)):
            return (Encoding(codec, mark),)
    if data.startswith(_SIGNATURES):
        return ()
    if b"\0" in data:
        return _without_mark(data)
    if _fits(data, UTF8):
        return (UTF8,)
    if len(_CONTROL.findall(data)) * 100 > len(data):
        return ()
    return _ranked(data)


def _fits(data: bytes, encoding: Encoding) -> bool:
    try:
        decode(data, encoding)
    except UnicodeDecodeError:
        return False
    return True


def _without_mark(data: bytes) -> tuple[Encoding, ...]:
    """UTF-16 without a mark: plain text has its NULs all on one side."""
    if len(data) % 2 or len(data) < 4:
        return ()
    for codec, high, low in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        zeros = data[high::2].count(0)
        if data[low::2].count(0) == 0 and zeros * 5 > len(data) and _fits(data, Encoding(codec)):
            return (Encoding(codec),)
    return ()


def _ranked(data: bytes) -> tuple[Encoding, ...]:
    found = []
    damage = _utf8_damage(data)
    if damage is not None:
        found.append(Encoding("utf-8", errors="surrogateescape", score=3.5 - 20 * damage))
    for codec in WEIGHTS:
        if codec in ("gb18030", "big5hkscs") and any(
            known.codec == {"gb18030": "gbk", "big5hkscs": "cp950"}[codec] for known in found
        ):
            continue  # the larger set only where the smaller one does not hold every character
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        score = east_asian_score(text, codec)
        if score >= _NOT_BELOW:
            found.append(Encoding(codec, score=score))
    found.append(_western(data))
    return tuple(sorted(found, key=lambda encoding: -encoding.score))


def _utf8_damage(data: bytes) -> float | None:
    """Share of stray bytes among those outside ASCII; ``None`` where nothing reads as UTF-8."""
    text = data.decode("utf-8", "surrogateescape")
    stray = sum("\udc80" <= char <= "\udcff" for char in text)
    high = sum(byte > 0x7F for byte in data)
    return stray / high if stray < high else None


def _western(data: bytes) -> Encoding:
    for codec in ("cp1252", "latin-1"):
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        return Encoding(codec, score=western_score(text))
    raise AssertionError("latin-1 reads any bytes")
