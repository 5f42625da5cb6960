"""``stream_decode_cases.jsonl``: bytes of a command's output, cut inside characters, to text.

Each row is decoded twice: with its encoding named, and with it as the locale's encoding, which
is how a shell's output is read on a machine of that language. Both must give the whole text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from executors.stream_decode import StreamDecoder
from tests.cases.verdict import Verdict, compared, rows


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    for case, row in rows(path):
        chunks = [bytes.fromhex(each) for each in row["chunks_hex"]]
        named = decoded(StreamDecoder(row["encoding"]), chunks)
        of_locale = decoded(StreamDecoder(fallback=row["encoding"]), chunks)
        wanted = row["expected"]
        yield compared(
            case, {"named": wanted, "locale": wanted}, {"named": named, "locale": of_locale}
        )


def decoded(decoder: StreamDecoder, chunks: list[bytes]) -> str:
    """All text that the chunks hold."""
    return "".join([*(decoder.feed(chunk) for chunk in chunks), decoder.finish()])
