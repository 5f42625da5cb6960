"""The screen in a real terminal: ask, approve, nap, leave, come back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.doubles.patience import FOR_EVER
from tests.doubles.product import MODEL, command
from tests.doubles.provider import Block
from tests.doubles.terminal import Terminal
from tests.e2e.conftest import Growbox

Plays = Callable[..., None]
INVITATION = "Ask, or /"
SIZES = [(80, 24), (120, 36), (200, 50)]


def start(growbox: Growbox, *arguments: str, columns: int = 120, rows: int = 36) -> Terminal:
    return Terminal(
        command("--model", MODEL, *arguments),
        env=growbox.env,
        cwd=growbox.project,
        columns=columns,
        rows=rows,
    )


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_question_is_answered_at_every_size(growbox: Growbox, columns: int, rows: int) -> None:
    with start(growbox, columns=columns, rows=rows) as terminal:
        terminal.until_shown(INVITATION)
        terminal.send("What is this?\r")
        terminal.until_shown("It prunes apple trees.")
        terminal.send("/quit\r")

        assert terminal.until_ended() == 0


def test_a_terminal_that_is_too_small_is_told_so(growbox: Growbox) -> None:
    with start(growbox, columns=40, rows=10) as terminal:
        terminal.until_shown("too small")


def test_a_command_is_asked_for_and_runs_when_it_is_approved(
    growbox: Growbox, plays: Plays
) -> None:
    plays(Block("Made it.", ("touch made",)))

    with start(growbox) as terminal:
        terminal.until_shown(INVITATION)
        terminal.send("Make a file\r")
        terminal.until_shown("touch made")
        terminal.until_shown("y Once")  # the footer shows the card's keys once it has the focus
        assert not (growbox.project / "made").exists()
        terminal.send("\t")  # who turns to the card is answered at once
        terminal.send("y")
        terminal.until_shown("Made it.")

    assert (growbox.project / "made").exists()


def test_a_day_with_a_nap_is_remembered_in_the_next_process(growbox: Growbox, plays: Plays) -> None:
    plays(Block("Noted."))
    with start(growbox) as terminal:
        terminal.until_shown(INVITATION)
        terminal.send("The secret of pruning is a bypass secateur\r")
        terminal.until_shown("Noted.")
        terminal.send("/nap\r")
        terminal.until_shown("Napped")
        terminal.send("/quit\r")
        assert terminal.until_ended() == 0

    with start(growbox) as terminal:
        terminal.until_shown(INVITATION)
        terminal.send("What was the secret of pruning?\r")
        terminal.until_shown("Noted.")

    assert "bypass secateur" in str(growbox.provider.requests[-1]["messages"])


def test_typing_begins_before_the_session_is_open(growbox: Growbox) -> None:
    with start(growbox) as terminal:
        terminal.until(lambda: terminal.written > 400, FOR_EVER, "waiting for the first paint")
        terminal.send("What is this?\r")

        terminal.until_shown("It prunes apple trees.")


def test_a_broken_theme_is_told_with_its_file_line_and_key_and_the_screen_opens(
    growbox: Growbox,
) -> None:
    themes = growbox.home / "growbox" / "themes"
    themes.mkdir(parents=True)
    (themes / "mine.toml").write_text('name = "mine"\nprimry = "green"\n')

    with start(growbox) as terminal:
        terminal.until_shown(INVITATION)
        terminal.until_shown("mine.toml")
        terminal.until_shown("line 2")
        terminal.until_shown("primry")


def test_a_theme_that_there_is_not_is_told_and_the_screen_opens(growbox: Growbox) -> None:
    with start(growbox, "--theme", "mosss") as terminal:
        terminal.until_shown(INVITATION)
        terminal.until_shown("mosss")


def test_a_memory_file_that_cannot_be_read_is_told_on_the_screen(growbox: Growbox) -> None:
    growbox.memory.parent.mkdir(parents=True)
    growbox.memory.write_bytes(b"shopping list\n" * 400)

    with start(growbox) as terminal:
        terminal.until_shown("memory.db")


def test_a_resumed_conversation_is_drawn_again(growbox: Growbox) -> None:
    growbox("-p", "What grows here?")

    with start(growbox, "--resume") as terminal:
        terminal.until_shown("What grows here?")
        terminal.until_shown("It prunes apple trees.")


def test_escape_stops_a_turn_and_the_conversation_goes_on(growbox: Growbox) -> None:
    growbox.provider.play.delay_s = 10 * FOR_EVER
    with start(growbox) as terminal:
        terminal.until_shown(INVITATION)
        terminal.send("What is this?\r")
        terminal.until(lambda: bool(growbox.provider.requests), FOR_EVER, "waiting for the request")
        growbox.provider.play.delay_s = 0.0
        terminal.send("\x1b")
        terminal.until_shown("topped")
        terminal.send("And now?\r")
        terminal.until_shown("It prunes apple trees.")

    assert "And now?" in str(growbox.provider.requests[-1]["messages"])
