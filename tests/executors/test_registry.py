"""What the model is told of the hands, and how its arguments are checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import executors
from executors.plan import Plan
from executors.protocol import HandError
from executors.registry import Registry
from tests.executors.conftest import Bench

FOLDER = Path(executors.__file__).parent
NAMES = (
    "ask_user", "call_tool", "edit_file", "list_files", "plan", "read_file", "recall",
    "search_text", "shell", "write_file",
)  # fmt: skip
MAX_CHARACTERS = 3_400
"""Of all ten, as one provider is sent them: 850 tokens of four characters."""


def test_each_hand_has_its_words_beside_it_and_each_words_their_hand(bench: Bench) -> None:
    assert tuple(json.loads(tool)["name"] for tool in bench.hands.tools()) == NAMES
    words = {path.stem for path in FOLDER.glob("*.md")} - {"README"}
    assert words == set(NAMES)
    for hand in map(bench.hands.find, NAMES):
        assert hand.spec.words == (FOLDER / f"{hand.spec.name}.md").read_text().strip()
        assert (FOLDER / f"{hand.spec.name}.py").exists()


def test_the_ten_are_terse(bench: Bench) -> None:
    wrapped = [{"type": "function", "function": json.loads(tool)} for tool in bench.hands.tools()]
    text = json.dumps(wrapped, ensure_ascii=False, separators=(",", ":"))
    assert len(text) < MAX_CHARACTERS


def test_tools_are_canonical_and_sorted(bench: Bench) -> None:
    for name, tool in zip(NAMES, bench.hands.tools(), strict=True):
        body = json.loads(tool)
        assert body["name"] == name
        assert set(body) == {"name", "description", "parameters"}
        assert tool == json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert bench.hands.tools() is bench.hands.tools()


def test_two_hands_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="plan"):
        Registry([Plan(), Plan()])


def test_an_unknown_name_hears_the_nearest(bench: Bench) -> None:
    with pytest.raises(HandError, match="read_file"):
        bench.hands.find("readfile")
    assert bench.hands.find("Read_File") is bench.hands.find("read_file")


def test_sound_arguments_pass(bench: Bench) -> None:
    assert bench.hands.validate("shell", '{"command":"ls"}') == {"command": "ls"}
    assert bench.hands.validate("list_files", " ") == {}
    steps = '{"steps":[{"text":"a","state":"done"}]}'
    assert bench.hands.validate("plan", steps)["steps"][0]["state"] == "done"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("shell", "{", "not valid JSON"),
        ("shell", "[]", "an array"),
        ("shell", '{"command":1}', "at command"),
        ("shell", "{}", "'command' is a required"),
        ("shell", '{"command":"a","command":"b"}', "twice"),
        ("shell", '{"command":"a","timeout_s":NaN}', "NaN is not JSON"),
        ("shell", '{"command":"a","cwd":"/"}', "It takes: command, timeout_s"),
        ("read_file", '{"path":"a","start":"5"}', "at start"),
        ("plan", '{"steps":[{"text":"a","state":"later"}]}', "at steps.0.state"),
        ("plan", '{"steps":' + "[" * 63 + "]" * 63 + "}", "at steps.0"),
        ("plan", '{"steps":' + "[" * 64 + "]" * 64 + "}", "too deeply"),
        ("plan", '{"steps":' + "[" * 99_999, "plan: the arguments"),
    ],
)
def test_wrong_arguments_are_told_what_is_wrong(
    bench: Bench, name: str, arguments: str, said: str
) -> None:
    with pytest.raises(HandError, match=said):
        bench.hands.validate(name, arguments)
