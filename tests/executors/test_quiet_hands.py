"""The hands that touch nothing: plan, ask_user, recall."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from executors.protocol import HandError
from tests.executors.conftest import REMEMBERED, Bench


async def test_a_plan_travels_in_the_outcome(bench: Bench) -> None:
    steps = [{"text": "read\nit", "state": "done"}, {"text": "mend it", "state": "doing"}]
    outcome = await bench.run("plan", steps=steps)
    assert outcome.plan == (("read it", "done"), ("mend it", "doing"))
    assert outcome.details.summary == "1 of 2 done"
    assert outcome.details.body == "[x] read it\n[~] mend it"
    with pytest.raises(HandError):
        await bench.run("plan", steps=[{"text": " ", "state": "open"}])


async def test_a_question_is_answered_by_the_user(bench: Bench) -> None:
    async def ask(question: str, options: Sequence[str]) -> str:
        return f"{question} {options[1]}"

    bench.ask = ask
    outcome = await bench.run("ask_user", question="Which?", options=["a", "b"])
    assert outcome.content == "Which? b"


async def test_with_nobody_there_a_question_is_an_error(bench: Bench) -> None:
    with pytest.raises(HandError, match="Nobody is there"):
        await bench.run("ask_user", question="Which?")


async def test_memory_is_asked_or_paged(bench: Bench) -> None:
    assert (await bench.run("recall", query="parser")).content == "found parser"
    assert "Nothing" in (await bench.run("recall", query="other")).content
    assert (await bench.run("recall", address="mem://1")).content == "the whole text"
    assert (await bench.run("recall", query="mem://1")).content == "the whole text"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"address": "x"}, {"query": "a", "address": "x"}, {"address": "mem://2"},
     {"address": "mem://1#x"}, {"address": "mem://1#-1"}, {"address": "mem://1#14"}],
)  # fmt: skip
async def test_recall_wants_something_that_is_there(
    bench: Bench, arguments: dict[str, str]
) -> None:
    with pytest.raises(HandError):
        await bench.run("recall", **arguments)


async def test_a_long_memory_comes_in_parts_that_lead_on_to_its_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "".join(f"line {number}, of no great length\n" for number in range(1000)) + "x" * 30_000
    monkeypatch.setitem(REMEMBERED, "mem://long", whole)
    address, parts, notes = "mem://long", [], []
    while address:
        content = (await bench.run("recall", address=address)).content
        assert len(content) < 12_100
        part, _, note = content.rpartition("\n[")
        notes.append(note)
        parts.append(part)
        _, _, address = note.rstrip("]").partition("go on with ")
    assert notes[0].startswith("11983 of 58890 characters; go on with mem://long#11983")
    assert notes[-1] == "58890 of 58890 characters]"
    assert parts[0].endswith("\nline 416, of no great length")
    assert len(parts) == 5
    assert "".join(parts).replace("\n", "") == whole.replace("\n", "")


async def test_an_offset_begins_in_the_middle(bench: Bench) -> None:
    content = (await bench.run("recall", address="mem://1#4")).content
    assert content == "whole text\n[14 of 14 characters]"
    assert (await bench.run("recall", address="mem://1#0")).content == "the whole text"


async def test_a_memory_is_searched_for_the_lines_that_hold_a_query(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        REMEMBERED, "mem://log", "start\n\tport IS 80\r\nthe port\nnone is here\nPort is 81"
    )
    outcome = await bench.run("recall", address="mem://log", query="port is")
    assert outcome.content == "#6     port IS 80\n#41 Port is 81"
    assert outcome.details.summary == "2 lines"
    outcome = await bench.run("recall", address="mem://log#10", query="81 port")
    assert outcome.content == "#41 Port is 81"
    outcome = await bench.run("recall", address="mem://log", query="zebra")
    assert outcome.content == "No line of mem://log holds that."


async def test_finds_in_one_very_long_line_are_shown_each_with_its_surroundings(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REMEMBERED, "mem://wide", ("." * 1000 + "needle") * 3)
    rows = (await bench.run("recall", address="mem://wide", query="needle")).content.split("\n")
    assert [row.split(" ")[0] for row in rows] == ["#900", "#1906", "#2912"]
    assert all("needle" in row and len(row) < 420 for row in rows)


@pytest.mark.parametrize("line", ["hit\n", "hit" + "x" * 390 + "\n"])
async def test_many_finds_are_bounded_and_lead_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setitem(REMEMBERED, "mem://many", line * 250)
    address, seen = "mem://many", []
    while address:
        content = (await bench.run("recall", address=address, query="hit")).content
        assert len(content) < 12_500
        rows = content.split("\n")
        seen += [row.split(" ")[0] for row in rows if row.startswith("#")]
        _, _, address = rows[-1].rstrip("]").partition("go on with ")
    assert seen == [f"#{number * len(line)}" for number in range(250)]


def test_they_claim_nothing(bench: Bench) -> None:
    assert bench.hands.find("plan").claims({"steps": []}) == ()
    assert bench.hands.find("ask_user").claims({"question": "x"}) == ()
    assert bench.hands.find("recall").claims({"query": "x"}) == ()
