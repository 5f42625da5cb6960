"""A file can be read in one sitting, a function at one glance."""

from __future__ import annotations

from tests.architecture.source import PRODUCT, TOOLS, functions, python_files, shown

FILE_LINES = 300
FUNCTION_LINES = 40

EXEMPT: dict[str, str] = {
    "growbox_tui/agent/events.py": "the one union of all events, which must be read together",
}
"""Files, or ``file:function``, that may be longer, each with the reason."""


def test_no_file_is_longer_than_a_sitting() -> None:
    long = {
        shown(path): lines
        for path in python_files(*PRODUCT, *TOOLS)
        if (lines := path.read_text(encoding="utf-8").count("\n")) > FILE_LINES
        and shown(path) not in EXEMPT
    }

    assert not long, f"over {FILE_LINES} lines: {long}"


def test_no_function_is_longer_than_a_glance() -> None:
    long = {
        f"{shown(path)}:{name}": lines
        for path in python_files(*PRODUCT, *TOOLS)
        for name, lines, _ in functions(path)
        if lines > FUNCTION_LINES and f"{shown(path)}:{name}" not in EXEMPT
    }

    assert not long, f"over {FUNCTION_LINES} lines: {long}"


def test_every_exemption_is_still_needed() -> None:
    files = {
        shown(path): path.read_text(encoding="utf-8").count("\n") > FILE_LINES
        for path in python_files(*PRODUCT, *TOOLS)
    }
    parts = {
        f"{shown(path)}:{name}": lines > FUNCTION_LINES
        for path in python_files(*PRODUCT, *TOOLS)
        for name, lines, _ in functions(path)
    }

    idle = [name for name in EXEMPT if not (files | parts).get(name)]

    assert not idle, f"not longer than allowed, or not there: {idle}"
