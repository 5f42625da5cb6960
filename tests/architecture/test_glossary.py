"""The map of memory names only what exists, and names each room."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import ROOT, tree

MAP = ROOT / "memory" / "README.md"
ROW = re.compile(r"^\|[^|]+\| `([^`|]+)` \| ((?:`[^`|]+`(?:, )?)+) \|[^|]+\|$", re.MULTILINE)
ROOM = re.compile(r"^- `(memory/[^`]+)`: ", re.MULTILINE)


def rows() -> list[tuple[str, list[str]]]:
    """(file, names) of each row of the glossary."""
    text = MAP.read_text(encoding="utf-8")
    return [(file, re.findall(r"`([^`]+)`", names)) for file, names in ROW.findall(text)]


def defined(file: str) -> set[str]:
    """Names that a module defines at its top, and ``Class.method`` of its classes."""
    found: set[str] = set()
    for node in tree(ROOT / file).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {
                f"{node.name}.{part.name}"
                for part in node.body
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            }
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return found


def test_the_glossary_has_rows() -> None:
    lines = [
        line
        for line in MAP.read_text(encoding="utf-8").splitlines()
        if line.startswith("|") and "memory/" in line
    ]

    assert len(rows()) == len(lines) >= 15


def test_every_file_of_the_glossary_exists() -> None:
    assert [file for file, _ in rows() if not (ROOT / file).is_file()] == []


def test_every_name_of_the_glossary_is_defined_in_its_file() -> None:
    missing = [
        f"{file}: {name}" for file, names in rows() for name in names if name not in defined(file)
    ]

    assert missing == []


def test_the_map_tells_of_every_module_of_memory() -> None:
    told = set(ROOM.findall(MAP.read_text(encoding="utf-8")))
    there = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "memory").rglob("*.py")
        if path.name != "__init__.py"
    }

    untold = {
        path for path in there if not any(path == room or path.startswith(room) for room in told)
    }
    assert not untold
    assert all((ROOT / room).exists() for room in told)
