"""The screen in a real terminal: ask, approve, nap, leave, come back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
        terminal.until_shown("once")
        assert not (growbox.project / "made").exists()
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
        terminal.until(lambda: terminal.written > 400, 20, "waiting for the first paint")
        terminal.send("What is this?\r")

        terminal.until_shown("It prunes apple trees.")
