"""Lint, format and types are clean."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.source import ROOT


def run(*module: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *module], cwd=ROOT, capture_output=True, text=True)


def test_lint_is_clean() -> None:
    told = run("ruff", "check", ".")

    assert told.returncode == 0, told.stdout + told.stderr


def test_the_format_is_even() -> None:
    told = run("ruff", "format", "--check", ".")

    assert told.returncode == 0, told.stdout + told.stderr


def test_the_types_hold() -> None:
    told = run("mypy")

    assert told.returncode == 0, told.stdout + told.stderr
