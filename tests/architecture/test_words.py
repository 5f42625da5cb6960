"""Names say what a thing knows; comments say why; nothing tells where it was made."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.source import (
    PRODUCT,
    ROOT,
    TOOLS,
    comments,
    committed_texts,
    names,
    python_files,
    shown,
    tree,
)

EMPTY_NAMES = re.compile(r"(?i)manager|service|helper|utils?(?![a-z])")
DATES = re.compile(
    r"\b(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?\b|\b[0-3]?\d\.[01]?\d\.(?:19|20)\d\d\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (?:\d{1,2},? )?(?:19|20)\d\d\b"
)
TICKETS = re.compile(r"(?i)(?<![&\w])#\d+\b|\b(?:issue|ticket|bug|pr|pull request)s? ?#?\d+\b")
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b|(?i:\bfor now\b)")
HEX_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
MACHINE_PATHS = re.compile(r"(?<![\w./-])/(?:work/(?:main|shared)|root|tmp/venv\d*)/[\w.-]")
REGISTRY_HOSTS = re.compile(
    r"(?i)\b(?:pypi\.(?:org|python\.org)|pythonhosted\.org|registry\.npmjs\.org|crates\.io"
    r"|proxy\.golang\.org|anaconda\.org|artifactory|nexus\.|devpi|--(?:extra-)?index-url)"
)
HERE = Path(__file__)
COLOURED = {
    "growbox_tui/themes.py": "what stands in where no theme of ours is active, even a broken one",
    "growbox_tui/theme_colours.py": "what a user's theme may leave out and Textual gets wrong",
}
"""Files outside themes/ that may hold colours, each with the reason."""


def test_no_name_hides_what_a_thing_knows() -> None:
    empty = [
        f"{shown(path)}:{line} {name}"
        for path in python_files(*PRODUCT, *TOOLS)
        for line, name in names(path)
        if EMPTY_NAMES.search(name)
    ]

    assert not empty


def test_comments_hold_no_dates_and_no_ticket_numbers() -> None:
    found = [
        f"{shown(path)}:{line} {text[:80]!r}"
        for path in python_files(*PRODUCT, *TOOLS)
        if path != HERE
        for line, text in comments(path)
        if TICKETS.search(text) or (text.startswith("#") and DATES.search(text))
    ]

    assert not found


def test_nothing_is_left_to_be_done() -> None:
    found = [
        f"{shown(path)}:{line} {text[:80]!r}"
        for path in python_files(*PRODUCT, *TOOLS)
        if path != HERE
        for line, text in comments(path)
        if UNFINISHED.search(text)
    ]

    assert not found


def test_colours_live_in_the_themes_alone() -> None:
    styles = list((ROOT / "growbox_tui").rglob("*.tcss"))
    found = [
        f"{shown(path)} {match}"
        for path in styles
        for match in HEX_COLOUR.findall(path.read_text(encoding="utf-8"))
    ]
    found += [
        f"{shown(path)}:{node.lineno} {node.value}"
        for path in python_files("growbox_tui")
        if shown(path) not in COLOURED
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if HEX_COLOUR.search(node.value)
    ]

    assert not found


def test_nothing_tells_of_the_machine_it_was_made_on() -> None:
    found = [
        f"{shown(path)} {match.group()}"
        for path, text in committed_texts()
        if path != HERE
        for pattern in (MACHINE_PATHS, REGISTRY_HOSTS)
        for match in pattern.finditer(text)
    ]

    assert not found


def test_the_first_line_of_a_module_says_what_it_is() -> None:
    silent = [
        shown(path)
        for path in python_files(*PRODUCT, *TOOLS)
        if path.name != "__init__.py" and not ast.get_docstring(tree(path))
    ]

    assert not silent


def test_every_rule_notices_what_it_forbids() -> None:
    assert EMPTY_NAMES.search("SessionManager")
    assert not EMPTY_NAMES.search("futile")
    assert DATES.search("# added 2024-05-01")
    assert TICKETS.search("# see #123")
    assert HEX_COLOUR.search("color: #ff00aa;")
    assert MACHINE_PATHS.search("in /root/x")
    assert REGISTRY_HOSTS.search("https://" + "py" + "pi.org/simple")
