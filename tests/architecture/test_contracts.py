"""The import contracts of ``pyproject.toml`` hold."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
WRONG = """
[importlinter]
root_package = growbox_tui

[importlinter:contract:1]
name = voices know no messages
type = forbidden
source_modules = growbox_tui.models
forbidden_modules = growbox_tui.agent
"""


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
    )


def test_every_import_goes_in_an_allowed_direction() -> None:
    told = lint(ROOT)

    assert told.returncode == 0, told.stdout + told.stderr


def test_a_contract_that_is_broken_is_noticed(tmp_path: Path) -> None:
    (tmp_path / ".importlinter").write_text(WRONG)

    told = lint(tmp_path)

    assert told.returncode == 1, told.stdout + told.stderr
    assert "BROKEN" in told.stdout
