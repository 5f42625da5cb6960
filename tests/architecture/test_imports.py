"""What starts quickly loads nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

HEAVY = ("textual", "litellm", "llama_cpp", "numpy", "apsw", "httpx", "tokenizers", "jsonschema")

COMMAND = """
import json, sys
sys.argv = ["growbox", *{arguments!r}]
from growbox_tui.cli import main
try:
    code = main()
except SystemExit as ended:
    code = ended.code
print()
print(json.dumps({{"code": code or 0, "modules": sorted(sys.modules)}}))
"""

IMPORT = """
import importlib, json, sys
importlib.import_module({name!r})
print(json.dumps({{"code": 0, "modules": sorted(sys.modules)}}))
"""


def loaded(program: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", program], env=dict(os.environ), capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    said = json.loads(told.stdout.splitlines()[-1])
    assert said["code"] == 0
    return {name.partition(".")[0] for name in said["modules"]}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_telling_about_itself_loads_nothing_heavy(option: str) -> None:
    assert not loaded(COMMAND.format(arguments=[option])) & set(HEAVY)


@pytest.mark.parametrize(
    "name", ["growbox_tui.agent.session", "growbox_tui.models.factory", "growbox_tui.wiring"]
)
def test_the_spine_and_the_voices_load_no_screen(name: str) -> None:
    assert not loaded(IMPORT.format(name=name)) & {"textual", "litellm", "llama_cpp"}


@pytest.mark.parametrize("name", ["memory", "executors"])
def test_memory_and_hands_load_no_product(name: str) -> None:
    assert not loaded(IMPORT.format(name=name)) & {"growbox_tui", *HEAVY}
