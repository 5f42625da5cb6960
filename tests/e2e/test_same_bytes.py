"""The same conversation gives the same bytes, whatever process, place, language and terminal."""

from __future__ import annotations

import json
import random
import shutil
import time
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from executors.registry import Registry, builtin
from executors.workspace import Workspace
from tests.doubles.cache_models import CACHES
from tests.doubles.cache_provider import Answer, CacheProvider
from tests.doubles.product import run, world

MODEL = "anthropic/claude-sonnet-5-5"
QUESTIONS = ("Where are the apple trees? 苹果树在哪里？", "And how are they pruned? Ä ß İ ı")
ELSEWHERE = {
    "TZ": "Pacific/Chatham",
    "LANG": "tr_TR.UTF-8",
    "LC_ALL": "tr_TR.UTF-8",
    "PYTHONHASHSEED": "4711",
    "COLUMNS": "43",
    "LINES": "11",
    "TERM": "dumb",
}
ASCII = {"LANG": "C", "LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONHASHSEED": "0"}


def answers() -> list[Answer]:
    calls = (("list_files", {"path": "."}), ("read_file", {"path": "README.md"}))
    found = Answer("I look.", calls, thinking="Both at once.")
    searched = Answer("", (("search_text", {"pattern": "apple"}),))
    return [found, searched, Answer("They are here. 在这里。"), Answer("In winter, ß İ ı.")]


def bodies(folder: Path, **variables: str) -> list[bytes]:
    """What is sent of one conversation, each question in a process of its own."""
    project = folder / "orchard"
    project.mkdir(parents=True)
    (project / "README.md").write_text("# orchard\nIt prunes apple trees: 苹果, İstanbul.\n")
    (project / "AGENTS.md").write_text("Prune in winter. 冬天修剪。\n")
    with CacheProvider(CACHES["anthropic_5m"], clock=time.time) as provider:
        provider.plays(answers())
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": provider.url}
        env = world(folder / "home", **keys) | variables
        for at, question in enumerate(QUESTIONS):
            resume = ["--resume"] if at else []
            arguments = ["--model", MODEL, "--yes", *resume, "-p", question]
            done = run(arguments, env=env, cwd=project)
            assert done.code == 0, done.err
        return [each.raw for each in provider.log]


def conversed(folder: Path, **variables: str) -> list[bytes]:
    """The same at one and the same place, since the prompt names the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    return bodies(folder, **variables)


@pytest.mark.parametrize("variables", [{}, ELSEWHERE, ASCII], ids=["again", "elsewhere", "ascii"])
def test_the_same_conversation_in_other_processes_gives_the_same_bytes(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    here = conversed(tmp_path / "same", TZ="UTC", PYTHONHASHSEED="1")
    there = conversed(tmp_path / "same", **variables)

    assert len(here) == 4
    assert list(map(without_date, there)) == list(map(without_date, here))


def without_date(body: bytes) -> bytes:
    """A body without the day, which may be another one in another time zone, and is in no prompt
    to the hour."""
    words = json.loads(body)["messages"][0]["content"][0]["text"]
    dated = words.partition(";")[0].removeprefix("[")
    assert abs((date.fromisoformat(dated) - datetime.now(UTC).date()).days) <= 1
    return body.replace(dated.encode(), b"DAY")


def test_a_prompt_begun_in_one_place_stands_still_in_another(tmp_path: Path) -> None:
    project = tmp_path / "orchard"
    project.mkdir()
    (project / "README.md").write_text("# orchard\n")
    with CacheProvider(CACHES["anthropic_5m"], clock=time.time) as provider:
        provider.plays(answers())
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": provider.url}
        for at, variables in enumerate(({}, ELSEWHERE, ASCII)):
            resume = ["--resume"] if at else []
            done = run(
                ["--model", MODEL, "--yes", *resume, "-p", f"Question {at}"],
                env=world(tmp_path / "home", **keys) | variables,
                cwd=project,
            )
            assert done.code == 0, done.err
        served = [each.served for each in provider.log]

    assert len(served) == 5
    for before, after in pairwise(served):
        assert before is not None
        assert after is not None
        assert after.read == before.total


def test_the_order_in_which_hands_are_registered_changes_no_byte(tmp_path: Path) -> None:
    async def nothing(text: str, deeper: bool = False) -> str:
        return text

    registry = builtin(Workspace(tmp_path), nothing, nothing)
    names = [json.loads(tool)["name"] for tool in registry.tools()]
    hands = [registry.find(name) for name in names if name != "call_tool"]
    for seed in range(5):
        random.Random(seed).shuffle(hands)
        assert Registry(hands).tools() == registry.tools()
