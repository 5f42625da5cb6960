from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult
from growbox_tui.demo import questions, script, unpack
from growbox_tui.models.protocol import Reply, Request
from growbox_tui.models.scripted_model import ScriptedModel

Hands = Callable[[ToolCall], str]


def carried_out(folder: Path) -> Hands:
    def run(call: ToolCall) -> str:
        given = json.loads(call.arguments)
        if call.name == "shell":
            done = subprocess.run(
                given["command"].split(), cwd=folder, capture_output=True, text=True, check=False
            )
            return f"{done.stdout}{done.stderr}\nexit {done.returncode}"
        if call.name == "edit_file":
            path = folder / given["path"]
            text = path.read_text()
            assert text.count(given["old"]) == 1
            path.write_text(text.replace(given["old"], given["new"]))
            return f"edited {given['path']}"
        if call.name == "read_file":
            return Path(folder, given["path"]).read_text()
        return "plan kept" if call.name == "plan" else "done"

    return run


def refused(call: ToolCall) -> str:
    asks = call.name in ("shell", "edit_file")
    return "the user refused this" if asks else "plan kept" if call.name == "plan" else "done"


async def played(hands: Hands) -> tuple[list[str], list[ToolCall]]:
    hurried = re.sub(r"(?m)^(pace|wait) \S+$", r"\1 0", script().read_text(encoding="utf-8"))
    model = ScriptedModel.parse(hurried)
    messages: list[Message] = []
    answers: list[str] = []
    calls: list[ToolCall] = []
    for question in questions():
        messages.append(Message("user", (Text(question),)))
        while True:
            reply = [delta async for delta in model.stream(Request((), (), tuple(messages)))][-1]
            assert isinstance(reply, Reply)
            messages.append(reply.message)
            calls += reply.message.calls
            results = [ToolResult(call.id, hands(call)) for call in reply.message.calls]
            messages += [Message("tool", (result,)) for result in results]
            if not results:
                answers.append(reply.message.text)
                break
    return answers, calls


def failing_tests(folder: Path) -> int:
    done = subprocess.run(
        ["python3", "-m", "unittest", "-q"], cwd=folder, capture_output=True, check=False
    )
    return done.stderr.count(b"\nFAIL: ")


async def test_the_demo_mends_the_bug_and_notes_what_was_remembered(tmp_path: Path) -> None:
    unpack(tmp_path / "orchard")
    assert failing_tests(tmp_path / "orchard") == 1
    answers, calls = await played(carried_out(tmp_path / "orchard"))
    assert failing_tests(tmp_path / "orchard") == 0
    assert answers[0].startswith("**Mended.**")
    assert answers[1].startswith("It stands in `NOTES.md`.")
    assert "Mara signs off" in (tmp_path / "orchard" / "NOTES.md").read_text()
    shown = {"plan", "list_files", "search_text", "read_file", "edit_file", "shell", "recall"}
    assert {call.name for call in calls} == shown


async def test_the_demo_claims_nothing_when_everything_is_refused() -> None:
    answers, _ = await played(refused)
    assert answers[0].startswith("I have not seen the test pass")
    assert answers[1].startswith("Then `NOTES.md` stays as it was.")


async def test_the_demo_is_played_to_its_end(tmp_path: Path) -> None:
    unpack(tmp_path)
    model = ScriptedModel.load(script())
    answers, _ = await played(carried_out(tmp_path))
    assert len(answers) == len(questions()) and "over" not in answers[-1]
    assert (model.name, model.facts.output_price) == ("script/demo", 0.0)


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError):
        unpack(tmp_path / "taken" / "orchard")
