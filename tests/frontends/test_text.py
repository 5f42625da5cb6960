from __future__ import annotations

import io
import json
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Choice,
    DetailView,
    Event,
    Failed,
    HitView,
    MessageEnded,
    Notice,
    PriceView,
    Rebased,
    Recalled,
    Retrying,
    StepView,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    UsageReported,
)
from growbox_tui.frontends.clean import clean
from growbox_tui.frontends.headless import exit_code, front_end

CARD = DetailView("shell", "ls", "exit 1", "")
ASKED = ApprovalAsked("a", "1", "shell", ("run ls",), CARD, (Choice("once", "yes"),))
HIT = HitView("mem://1", "user", "2026-05-03 14:02", ("text",), 1.0, "a", True)
FOUND = Recalled("q", (HIT,), ("text",), 12.0, 9, True)
USAGE = UsageReported(1, 900, 5, None, None, None, 1.0, 0, "")


def shown(*events: Event, output: str = "text") -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    reader = front_end(output, out, err)  # type: ignore[arg-type]
    for event in events:
        reader.show(event)
    return out.getvalue(), err.getvalue()


def test_the_answer_goes_to_stdout_and_what_was_said_on_the_way_to_stderr() -> None:
    out, err = shown(
        TextDelta("Let"),
        MessageEnded("", "Let me look.", "tool_calls"),
        MessageEnded("", "A fox.", "end"),
    )
    assert (out, err) == ("A fox.\n", "Let me look.\n")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (ToolStarted("1", "shell", "ls -la", ()), "shell: ls -la"),
        (ToolEnded("1", "shell", True, CARD, 1.0, ""), "shell failed: exit 1"),
        (ASKED, "asks: run ls"),
        (ApprovalAnswered("a", "once", by="flag"), "granted by --yes"),
        (ApprovalAnswered("a", "no", "nobody is here"), "refused: nobody is here"),
        (Retrying(2.0, 1, "busy", False), "trying again in 2.0 s: busy"),
        (USAGE, "prompt: 900 tokens, not reported"),
        (replace(USAGE, cache_read=800), "prompt: 900 tokens, 800 from cache"),
        (
            replace(USAGE, cache_read=0, kind="expiry", cause="nothing was asked for 9 min"),
            "prompt: 900 tokens, 0 from cache (nothing was asked for 9 min)",
        ),
        (
            Rebased(2, "you asked for it", 4, 9, False, 900, 400),
            "epoch 2: you asked for it, 900 -> 400 tokens",
        ),
        (FOUND, "recall: 1 memory in 12 ms"),
        (
            replace(
                FOUND,
                answered_by="pointers",
                steps=(StepView("pointers", 1, 2, 900, 11.0),),
                complete=False,
                price=PriceView(70, 9_000, 4),
            ),
            "recall: 1 memory by pointers in 12 ms, 2 calls, 900 tokens; "
            "70 unread (4 calls, 9000 tokens)",
        ),
        (
            replace(FOUND, hits=(), occasion="wrong"),
            "dug deeper: 0 memories in 12 ms",
        ),
        (Notice("info", "a word"), "a word"),
        (Failed("Unreachable", "Nobody answered.", "Start it."), "Nobody answered. Start it."),
        (TurnEnded(1, "cancelled", "stopped"), "cancelled. Stopped."),
    ],
)
def test_narration_is_told_on_stderr(event: Event, words: str) -> None:
    assert shown(event) == ("", words + "\n")


@pytest.mark.parametrize(
    "event", [TurnEnded(1, "done"), TextDelta("x"), Recalled("q", (), (), 1, 0, True)]
)
def test_what_says_nothing_is_not_narrated(event: Event) -> None:
    assert shown(event) == ("", "")


def test_json_is_one_event_a_line_and_nothing_else() -> None:
    out, err = shown(TextDelta("a\nb"), TurnEnded(1, "done"), output="json")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["TextDelta", "TurnEnded"]
    assert err == ""


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("done", 0),
        ("length", 0),
        ("cancelled", 130),
        ("failed", 1),
        ("refused", 1),
        ("repeating", 1),
    ],
)
def test_exit_codes(reason: str, code: int) -> None:
    assert exit_code(TurnEnded(1, reason)) == code  # type: ignore[arg-type]


@given(st.text())
def test_no_steering_character_reaches_the_terminal(text: str) -> None:
    left = {char for char in clean(text) if unicodedata.category(char) == "Cc"}
    assert left <= {"\n", "\t"}


def test_a_clipboard_write_is_shown_and_not_done() -> None:
    assert clean("ok \x1b]52;c;cm0=\x07 done") == "ok ␛]52;c;cm0=␇ done"


def test_a_bidirectional_override_is_shown_by_name() -> None:
    assert clean("safe\u202e txt.exe") == "safe⟨U+202E⟩ txt.exe"
