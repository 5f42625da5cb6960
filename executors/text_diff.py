"""A unified diff of two texts, for people to judge a change by."""

from __future__ import annotations

from difflib import unified_diff

CONTEXT = 3
MAX_LINES = 400
"""Lines of a diff that are shown."""


def text_diff(before: str, after: str, name: str) -> tuple[str, str]:
    """(diff, summary such as ``+3 -1``). Lines end at LF only; the equal beginning and end of
    the texts are not compared, so large files cost little."""
    old, new = before.split("\n"), after.split("\n")
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    low, spare = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    rows = list(
        unified_diff(
            old[low : len(old) - spare], new[low : len(new) - spare], name, name, n=CONTEXT,
            lineterm="",
        )
    )  # fmt: skip
    body = [_moved(row, low) if row.startswith("@@") else row for row in rows]
    added = sum(row.startswith("+") for row in body[2:])
    gone = sum(row.startswith("-") for row in body[2:])
    if len(body) > MAX_LINES:
        body = [*body[:MAX_LINES], f"… {len(body) - MAX_LINES} more lines"]
    return "\n".join(body), f"+{added} -{gone}"


def _moved(header: str, by: int) -> str:
    """The hunk header with its line numbers counted from the start of the file."""
    words = header.split(" ")
    for index in (1, 2):
        sign, (start, *length) = words[index][0], words[index][1:].split(",")
        words[index] = sign + ",".join([str(int(start) + by), *length])
    return " ".join(words)
