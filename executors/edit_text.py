"""Edit the text in a file's bytes. Pure: bytes in, bytes out; all else stays equal to the byte.

The old text is looked for as it stands, whatever the line ends; then with tabs where it has
spaces; then across typographic variants (quotes, dashes, full-width forms, trailing blanks). Only
what was found is replaced, and of that only the lines that the new text changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from executors.edit_match import (
    Lines,
    fold_spans,
    indented,
    indented_differently,
    spans_of,
    without_gutter,
)
from executors.encoding import UTF8, Encoding, candidates, decode
from executors.nearest import nearest
from executors.protocol import HandError
from executors.splice import splice

Code = str
"""``not_found ambiguous empty_old no_change binary encoding line_numbers tabs``."""


class EditError(HandError):
    """Why an edit was refused; nothing was changed."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Found:
    """Where the old text stands, and what to put there."""

    encoding: Encoding
    text: str
    """The file, decoded."""
    spans: tuple[tuple[int, int], ...]
    """Character positions in ``text``."""
    old: str
    new: str
    lone: bool
    """Whether a carriage return by itself ends a line."""


def apply_edit(data: bytes, old: str, new: str, all: bool = False) -> bytes:
    """The bytes with ``old`` replaced by ``new``: once, or everywhere with ``all``.

    Raises ``EditError`` with a ``code`` when that cannot be done exactly; the text says why.
    """
    encodings = candidates(data)
    if not encodings:
        raise EditError("binary", "This is a binary file; it cannot be edited as text.")
    if old == "":
        return _into_empty(data, encodings[0], new)
    if old == new:
        raise EditError("no_change", "old and new are the same; nothing was changed.")
    found = _find(data, encodings, old, new)
    if len(found.spans) > 1 and not all:
        raise _ambiguous(found)
    result = _replace(data, found)
    if result == data:
        raise EditError("no_change", "The file already reads so; nothing was changed.")
    return result


def _into_empty(data: bytes, encoding: Encoding, new: str) -> bytes:
    if decode(data, encoding):
        raise EditError(
            "empty_old",
            "old is empty. Give the exact text to replace; to add lines, give the line beside "
            "them as old and repeat it in new.",
        )
    if not new:
        raise EditError("no_change", "old and new are both empty; nothing was changed.")
    return data + _encoded(new, encoding)


def _find(data: bytes, encodings: tuple[Encoding, ...], old: str, new: str) -> Found:
    """The first encoding, likeliest first, in which the old text stands there exactly. That it
    does is itself evidence of the encoding. Near matches are taken in the likeliest only."""
    for encoding in encodings:
        text = decode(data, encoding)
        if len(text.encode(encoding.codec, encoding.errors)) != len(data) - len(encoding.bom):
            continue  # byte positions could not be told
        for lone in (False, True):  # a carriage return alone: data first, then a line end
            lines = Lines(text, lone)
            spans = spans_of(lines, lines.plain(old))
            if spans:
                return Found(encoding, text, spans, old, new, lone)
    return _near(decode(data, encodings[0]), encodings[0], old, new)


def _near(text: str, encoding: Encoding, old: str, new: str) -> Found:
    lone = "\n" not in text
    lines = Lines(text, lone)
    plain_old, plain_new = lines.plain(old), lines.plain(new)
    for unit in (4, 8, 2, 3):
        tabbed = indented(plain_old, unit)
        spans = spans_of(lines, tabbed, whole_lines=True) if tabbed else ()
        if tabbed and spans:
            fitted = indented(plain_new, unit, loose=True) or plain_new
            return Found(encoding, text, spans, tabbed, fitted, lone)
    spans = fold_spans(lines, plain_old)
    if spans:
        return Found(encoding, text, spans, plain_old, plain_new, lone)
    raise _not_found(lines, plain_old)


def _not_found(lines: Lines, old: str) -> EditError:
    bare = without_gutter(old)
    if bare is not None and spans_of(lines, bare):
        return EditError(
            "line_numbers",
            "old holds line numbers that are not in the file. Send old and new without them.",
        )
    row = indented_differently(lines, old)
    if row:
        there, sent = row
        return EditError(
            "tabs" if "\t" in there + sent else "not_found",
            f"The text is there but indented differently: the file's line {there!r} begins with "
            f"{_blank_words(there)}, old's {sent!r} with {_blank_words(sent)}. Copy the file's "
            "indentation.",
        )
    return EditError("not_found", f"old was not found. {nearest(lines.text, old)}")


def _blank_words(line: str) -> str:
    blank = line[: len(line) - len(line.lstrip())]
    tabs, spaces = blank.count("\t"), blank.count(" ")
    parts = [f"{tabs} tab{'s' * (tabs != 1)}"] if tabs else []
    if spaces or not parts:
        parts.append(f"{spaces} space{'s' * (spaces != 1)}")
    return " and ".join(parts)


def _ambiguous(found: Found) -> EditError:
    ends = "\n" if "\n" in found.text else "\r"
    rows = [found.text.count(ends, 0, start) + 1 for start, _ in found.spans]
    shown = ", ".join(map(str, rows[:8])) + (", …" if len(rows) > 8 else "")
    return EditError(
        "ambiguous",
        f"old has {len(rows)} occurrences (lines {shown}). Give more of the text around the one "
        "you mean, or set all to true.",
    )


def _replace(data: bytes, found: Found) -> bytes:
    """Cut at byte positions, so that bytes outside the spans are never decoded and encoded."""
    codec, errors = found.encoding.codec, found.encoding.errors
    pieces: list[bytes] = []
    done, place = 0, len(found.encoding.bom)
    position = 0
    for start, end in found.spans:
        if start < position:
            continue  # overlaps the one before, which is only possible with ``all``
        place_start = place + len(found.text[position:start].encode(codec, errors))
        place = place_start + len(found.text[start:end].encode(codec, errors))
        position = end
        pieces.append(data[done:place_start])
        pieces.append(_spliced(data[place_start:place], found, start, end))
        done = place
    return b"".join([*pieces, data[done:]])


def _spliced(raw: bytes, found: Found, start: int, end: int) -> bytes:
    parts = splice(found.text, start, end, found.old, found.new, found.lone)
    codec, errors = found.encoding.codec, found.encoding.errors
    out: list[bytes] = []
    for part in parts:
        if isinstance(part, str):
            out.append(_encoded(part, found.encoding))
        else:
            low, high = (
                len(found.text[start:place].encode(codec, errors)) for place in (part[0], part[1])
            )
            out.append(raw[low:high])
    return b"".join(out)


def _encoded(text: str, encoding: Encoding) -> bytes:
    try:
        return text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        char = text[error.start]
        what = "half a surrogate pair" if "\ud800" <= char <= "\udfff" else f"{char!r}"
        name = "text" if encoding == UTF8 else f"the file's encoding, {encoding.label},"
        raise EditError(
            "encoding",
            f"new holds {what} (U+{ord(char):04X}), which {name} cannot hold. Nothing was "
            "changed; write it without that character.",
        ) from error
