"""StreamDecoder: command output to text as it comes, never tearing a character.

Without a named encoding each line is UTF-8 if it can be; else it is read as the locale's encoding
or the East Asian one in which it reads well; else stray bytes become U+FFFD.
"""

from __future__ import annotations

import codecs
import re

from executors.encoding import UTF8, Encoding, candidates
from executors.encoding_score import WEIGHTS

HOLD = 4_096
"""Bytes of one line that wait for its end before they are read anyway."""
_READS_WELL = 0.0
"""Score below which a reading is noise."""
_LINE_END = re.compile(rb"[\n\r]")


def _whole_characters(data: bytes) -> int:
    """How many leading bytes are whole UTF-8 characters; what follows may be a torn one."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if need > back else len(data)
        if byte < 0x80:
            break
    return len(data)


class StreamDecoder:
    """Feed it bytes, then finish it. One a stream."""

    def __init__(self, encoding: str | None = None, fallback: str = "") -> None:
        """``encoding``: obeyed if given (raises ``LookupError`` for an unknown one), with U+FFFD
        for what does not fit. ``fallback``: the locale's encoding, tried right after UTF-8."""
        self._fixed = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
        self._fallback = "" if fallback.lower().replace("_", "-") in ("utf-8", "utf8") else fallback
        self._held = b""
        self._utf8_seen = False
        self._other = ""

    def feed(self, data: bytes) -> str:
        """The text that is certain by now."""
        if self._fixed:
            return self._fixed.decode(data)
        data = self._held + data
        cut = data.rfind(b"\n") + 1 or data.rfind(b"\r") + 1
        text = "".join(self._line(line) for line in _lines(data[:cut]))
        early, self._held = self._early(data[cut:])
        return text + early

    def finish(self) -> str:
        """What was held back; a torn character at the very end becomes U+FFFD."""
        if self._fixed:
            return self._fixed.decode(b"", True)
        held, self._held = self._held, b""
        return self._line(held)

    def _early(self, rest: bytes) -> tuple[str, bytes]:
        """What of an unfinished line can be told already, and what must wait."""
        if rest.isascii():
            return rest.decode("ascii"), b""
        if self._utf8_seen or len(rest) > HOLD:
            cut = _whole_characters(rest)
            try:
                return rest[:cut].decode("utf-8"), rest[cut:]
            except UnicodeDecodeError:
                if len(rest) > HOLD:
                    return self._long(rest)
        plain = next(place for place, byte in enumerate(rest) if byte > 0x7F)
        return rest[:plain].decode("ascii"), rest[plain:]

    def _long(self, rest: bytes) -> tuple[str, bytes]:
        """A line without end that is not UTF-8. Its last character may be torn, so the encoding
        is told from what is left when up to three bytes are cut off."""
        known = self._other or self._fallback
        if not known:
            cuts = (rest[: len(rest) - cut] for cut in range(4))
            best = max(
                (found for cut in cuts for found in candidates(cut)), key=_score, default=UTF8
            )
            known = best.codec if _score(best) > _READS_WELL else "utf-8"
            self._other = known if known != "utf-8" else ""
        decoder = codecs.getincrementaldecoder(known)("replace")
        return decoder.decode(rest), decoder.getstate()[0]

    def _line(self, line: bytes) -> str:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            return line.decode(self._codec(line), "replace")
        self._utf8_seen = self._utf8_seen or not line.isascii()
        return text

    def _codec(self, line: bytes) -> str:
        """The encoding of a line that is not UTF-8; remembered for the next such lines."""
        for known in (self._other, self._fallback):
            if known and _decodes(line, known):
                return known
        best = max(candidates(line), key=_score, default=UTF8)
        if _score(best) <= _READS_WELL or self._is_torn(line):
            return "utf-8"
        self._other = best.codec
        return best.codec

    def _is_torn(self, line: bytes) -> bool:
        """Whether it is UTF-8 but for a last character that never came whole."""
        whole = line[: _whole_characters(line)]
        return _decodes(whole, "utf-8") and (self._utf8_seen or not whole.isascii())


def _score(encoding: Encoding) -> float:
    """Only the East Asian readings count: where the locale is not Western, single bytes above
    ASCII are damage more often than accents."""
    return encoding.score if encoding.codec in WEIGHTS else -1.0


def _lines(data: bytes) -> list[bytes]:
    """Split behind each line feed and carriage return."""
    ends = [match.end() for match in _LINE_END.finditer(data)]
    return [
        data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)
        if start < end
    ]  # fmt: skip


def _decodes(line: bytes, codec: str) -> bool:
    try:
        line.decode(codec)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
