"""The prompt stands still: across the requests of a turn, across turns, across processes."""

from __future__ import annotations

from collections.abc import Callable

from tests.doubles.layout import shares
from tests.doubles.product import run, world
from tests.doubles.provider import Block
from tests.e2e.conftest import Growbox

Plays = Callable[..., None]
TURNS = (
    Block("I read them.", ("ls", "cat README.md", "wc -l README.md")),
    Block("Found it.", ("grep -n apple README.md",)),
    Block("Done.", ("ls -a",)),
)
QUESTIONS = ("Explain the apple trees", "Where are apple trees named?", "List the files again")


def ask_all(growbox: Growbox, env: dict[str, str], model: str) -> None:
    for place, question in enumerate(QUESTIONS):
        resume = ["--resume"] if place else []
        told = run(
            ["--model", model, "--yes", *resume, "-p", question], env=env, cwd=growbox.project
        )
        assert told.code == 0, told.err


def test_a_resumed_session_sends_byte_for_byte_what_it_sent_before(
    growbox: Growbox, plays: Plays
) -> None:
    plays(*TURNS)

    ask_all(growbox, growbox.env, "openai/fake-model")

    found = shares(growbox.provider.requests)
    assert len(found) == 8
    assert not [place for place, each in enumerate(found) if each.broken]


def test_a_resumed_anthropic_session_sends_the_same_bytes_too(
    growbox: Growbox, plays: Plays
) -> None:
    plays(*TURNS)
    env = world(growbox.home, ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=growbox.provider.root)

    ask_all(growbox, env, "anthropic/fake-model")

    found = shares(growbox.provider.requests)
    assert len(found) == 8
    assert not [place for place, each in enumerate(found) if each.broken]


def test_tools_and_system_text_stay_terse(growbox: Growbox) -> None:
    growbox("-p", "hi")
    body = growbox.provider.requests[-1]

    first = shares([{**body, "messages": body["messages"][:1]}])[0]

    assert body["messages"][0]["role"] == "system"
    assert first.size // 4 <= 1_300


def test_the_forecast_agrees_with_a_cache_of_whole_prefixes(growbox: Growbox, plays: Plays) -> None:
    plays(*TURNS)
    reports = []
    for place in range(2):
        resume = ["--resume"] if place else []
        events = growbox.events("--yes", *resume, "-p", QUESTIONS[place])
        reports += [event for event in events if event["event"] == "UsageReported"]

    assert reports[0]["cache_read"] == 0
    for report in reports[1:]:
        assert report["cache_read"] > 0
        assert abs(report["cache_read"] - report["predicted"]) <= 0.15 * report["input"]
