"""The hands that touch nothing: plan, ask_user, recall."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from executors.protocol import HandError
from tests.executors.conftest import Bench


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
    [{}, {"query": "a", "address": "mem://1"}, {"address": "x"}, {"address": "mem://2"}],
)
async def test_recall_wants_one_thing_that_is_there(
    bench: Bench, arguments: dict[str, str]
) -> None:
    with pytest.raises(HandError):
        await bench.run("recall", **arguments)


def test_they_claim_nothing(bench: Bench) -> None:
    assert bench.hands.find("plan").claims({"steps": []}) == ()
    assert bench.hands.find("ask_user").claims({"question": "x"}) == ()
    assert bench.hands.find("recall").claims({"query": "x"}) == ()
