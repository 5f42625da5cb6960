"""``growbox -p``: one question, without a screen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from growbox_tui.agent.events import from_json
from tests.doubles.patience import FOR_EVER
from tests.doubles.product import MODEL, command
from tests.doubles.provider import Block
from tests.e2e.conftest import Growbox

Plays = Callable[..., None]


def words(body: dict[str, object]) -> str:
    return json.dumps(body["messages"], ensure_ascii=False)


def test_the_answer_is_all_that_stands_on_stdout(growbox: Growbox) -> None:
    told = growbox("-p", "What is this?")

    assert (told.code, told.out) == (0, "It prunes apple trees.\n")


def test_a_pipe_on_stdin_is_part_of_the_question(growbox: Growbox) -> None:
    growbox("-p", "What fails?", stdin="Traceback: ZeroDivisionError\n")

    assert "ZeroDivisionError" in words(growbox.provider.requests[-1])
    assert "What fails?" in words(growbox.provider.requests[-1])


def test_a_mentioned_file_goes_with_the_question(growbox: Growbox) -> None:
    growbox("-p", "What is this project? @README.md")

    assert "prunes apple trees" in words(growbox.provider.requests[-1])


def test_every_line_of_the_json_output_is_an_event(growbox: Growbox, plays: Plays) -> None:
    plays(Block("Two files.", ("ls",)))

    told = growbox("-p", "List", "--yes", "--output", "json")
    kinds = [type(from_json(line)).__name__ for line in told.out.splitlines()]

    assert told.code == 0
    assert kinds[-1] == "TurnEnded"
    assert {"SessionOpened", "TurnStarted", "PromptBuilt", "UsageReported"} <= set(kinds)
    assert kinds.index("ToolStarted") < kinds.index("ToolEnded") < kinds.index("TurnEnded")


def test_what_would_be_asked_is_refused_and_said_without_yes(
    growbox: Growbox, plays: Plays
) -> None:
    plays(Block("I could not.", ("touch made",)))

    told = growbox("-p", "Make a file")

    assert told.code == 0
    assert not (growbox.project / "made").exists()
    assert "--yes" in told.err
    assert "I could not." in told.out


def test_yes_grants_what_would_be_asked(growbox: Growbox, plays: Plays) -> None:
    plays(Block("Made.", ("touch made",)))

    assert growbox("-p", "Make a file", "--yes").code == 0
    assert (growbox.project / "made").exists()


def test_yes_does_not_grant_what_is_denied(growbox: Growbox, plays: Plays) -> None:
    key = growbox.home / ".ssh" / "id_ed25519"
    key.parent.mkdir(parents=True)
    key.write_text("SECRET")
    plays(Block("No.", (("read_file", {"path": str(key)}),)))

    growbox("-p", "Read my key", "--yes")

    assert "SECRET" not in words(growbox.provider.requests[-1])


def test_a_failing_provider_ends_with_one_and_says_why(growbox: Growbox) -> None:
    growbox.provider.play.status = 401
    growbox.provider.play.error = {"error": {"message": "bad key"}}

    told = growbox("-p", "hi")

    assert told.code in (1, 2)
    assert "OPENAI_API_KEY" in told.err
    assert "Traceback" not in told.err


def heed_all_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("sent_signal", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_signal_ends_it_with_its_own_code_and_loses_nothing(
    growbox: Growbox, plays: Plays, sent_signal: signal.Signals, code: int
) -> None:
    plays(Block("Slept.", ("echo begun; sleep 999",)))
    child = subprocess.Popen(
        command("--model", MODEL, "-p", "Sleep", "--yes", "--output", "json"),
        env=growbox.env,
        cwd=growbox.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A runner that was itself put into the background has its children ignore SIGINT.
        preexec_fn=heed_all_signals,
    )
    assert child.stdout is not None
    seen = []
    for line in child.stdout:
        seen.append(line)
        if '"ToolStarted"' in line:
            os.kill(child.pid, sent_signal)
    _, err = child.communicate(timeout=FOR_EVER)

    assert child.returncode == code, err
    assert "Traceback" not in err
    again = growbox("--resume", "-p", "Go on")
    assert again.code == 0
    sent = growbox.provider.requests[-1]["messages"]
    calls = [call["id"] for message in sent for call in message.get("tool_calls") or []]
    results = [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    assert calls
    assert calls == results


def test_sessions_are_listed_newest_first(growbox: Growbox) -> None:
    growbox("-p", "First question")
    growbox("-p", "Second question")

    told = growbox("sessions", model="")

    assert told.code == 0
    assert told.out.index("Second question") < told.out.index("First question")


def test_with_nothing_to_resume_a_session_is_started_and_that_is_said(growbox: Growbox) -> None:
    told = growbox("--resume", "-p", "hi")

    assert told.code == 0
    assert "nothing to resume" in told.err


def test_yesterdays_words_are_in_the_request_of_another_session(growbox: Growbox) -> None:
    growbox("-p", "The secret of pruning is a sharp bypass secateur")

    growbox("-p", "What was the secret of pruning?")

    last = growbox.provider.requests[-1]
    assert "bypass secateur" in words(last)
    assert "mem://" in words(last)


def test_the_demo_plays_to_its_end_without_a_key(growbox: Growbox) -> None:
    told = growbox("demo", "--output", "json", model="", OPENAI_API_KEY="", OPENAI_BASE_URL="")
    events = [json.loads(line) for line in told.out.splitlines()]

    assert told.code == 0, told.err
    assert [event["reason"] for event in events if event["event"] == "TurnEnded"][-1] == "done"
    assert {"edit_file", "shell", "recall"} <= {
        event["name"] for event in events if event["event"] == "ToolEnded"
    }
    assert not any(event["is_error"] for event in events if event["event"] == "ToolEnded")


def test_a_conversation_that_is_open_elsewhere_is_left_to_it(
    growbox: Growbox, plays: Plays
) -> None:
    resting = "until [ -e go ]; do sleep 0.1; done; echo rested"
    plays(Block("Hello.", ()), Block("Slept.", (resting,)), Block("Fine.", ()))
    growbox("-p", "First question")
    first = subprocess.Popen(
        command("--model", MODEL, "--yes", "--resume", "--output", "json", "-p", "Rest"),
        env=growbox.env,
        cwd=growbox.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    for line in first.stdout:
        if '"ToolStarted"' in line:
            break

    second = growbox("--resume", "-p", "And I?")
    (growbox.project / "go").touch()
    rest, _ = first.communicate(timeout=FOR_EVER)

    assert "open in another growbox" in second.err
    assert first.returncode == 0
    assert "rested" in rest


def test_a_pipe_cannot_mention_files(growbox: Growbox) -> None:
    growbox("-p", "Review", stdin="see @README.md\n")

    assert "prunes apple trees" not in words(growbox.provider.requests[-1])


def test_a_session_id_that_is_mistyped_is_an_error(growbox: Growbox) -> None:
    told = growbox("--session", "nosuchsession", "-p", "hi")

    assert told.code == 2
    assert "no session 'nosuchsession'" in told.err


def test_a_conversation_goes_on_with_the_model_that_it_had(growbox: Growbox) -> None:
    growbox("-p", "First question")
    growbox("--resume", "-p", "Second", model="")

    assert growbox.provider.requests[-1]["model"] == MODEL.partition("/")[2]
    assert "First question" in words(growbox.provider.requests[-1])
