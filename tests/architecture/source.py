"""The committed sources, as the architecture tests read them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("growbox_tui", "memory", "executors")
TOOLS = ("tests/bench", "tests/cases", "tests/doubles", "tests/architecture")
TEXTS = {".py", ".md", ".toml", ".txt", ".tcss", ".script", ".json", ".jsonl", ".svg", ""}


@cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """Every Python file under these folders, sorted."""
    return tuple(sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def shown(path: Path) -> str:
    """The path from the checkout's root, with slashes."""
    return path.relative_to(ROOT).as_posix()


def functions(path: Path) -> Iterator[tuple[str, int, ast.AST]]:
    """``(dotted name, lines, node)`` of every function of a file, methods and inner ones too."""

    def walk(node: ast.AST, above: str) -> Iterator[tuple[str, int, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            name = (
                f"{above}.{child.name}" if above and _named(child) else getattr(child, "name", "")
            )
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield name, (child.end_lineno or child.lineno) - child.lineno + 1, child
            yield from walk(child, name if _named(child) else above)

    yield from walk(tree(path), "")


def _named(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def comments(path: Path) -> Iterator[tuple[int, str]]:
    """``(line, text)`` of every comment and docstring-like string statement of a file."""
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            value = node.value.value
            if isinstance(value, str):
                yield node.lineno, value


def names(path: Path) -> Iterator[tuple[int, str]]:
    """``(line, name)`` of what a file defines: classes, functions, module variables; and itself."""
    yield 1, path.stem
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
    for node in tree(path).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from ((node.lineno, each.id) for each in targets if isinstance(each, ast.Name))


def committed_texts() -> Iterator[tuple[Path, str]]:
    """Every text file of the checkout that would be committed, with its words."""
    seen = ("growbox_tui", "memory", "executors", "tests", "themes", ".ci")
    paths = [path for folder in seen for path in (ROOT / folder).rglob("*") if path.is_file()]
    paths += [ROOT / name for name in ("README.md", "LICENSE", "pyproject.toml", ".gitignore")]
    for path in sorted(paths):
        if path.suffix in TEXTS and "__pycache__" not in path.parts:
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # data of a test, in another encoding on purpose
