from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from growbox_tui.agent import events as e
from growbox_tui.screens.why import why_page
from growbox_tui.widgets.recall_card import RecallCard, how_words
from growbox_tui.widgets.recall_words import missing, price_of_all
from growbox_tui.widgets.step_table import ladder
from tests.tui import maps as m
from tests.tui.fake_session import FakeSession, app_with, send, until
from tests.tui.specimens import RECALLED, rows, shown
from tests.tui.test_chat import notices, ready

QUESTION = f"/recall {m.ASKED}"


def asking(*found: e.Recalled, **rest: Any) -> FakeSession:
    return FakeSession(found=list(found or (m.CLIMBED, m.READ)), **rest)


async def opened(pilot: Any, app: Any, command: str = QUESTION) -> None:
    await ready(pilot, app)
    await send(pilot, command)
    await until(pilot, lambda: app.screen is not app.chat)
    await pilot.pause()


# ---- words -----------------------------------------------------------------------------------


def test_what_is_missing_says_where_and_for_what_price() -> None:
    words = missing(m.CLIMBED)
    assert "5,356 memories (1 to 4,960 and 5,705 to 6,100) are unread" in words
    assert "96 calls, 410k tokens" in words


def test_a_complete_answer_promises_no_more_than_it_can_hold() -> None:
    assert "but for what the caps cut off" in missing(m.READ)


def test_many_unread_stretches_are_told_in_one_line() -> None:
    spans = tuple(e.StretchView(at * 10, at * 10 + at) for at in range(1, 40))
    words = missing(replace(m.CLIMBED, unread=spans, price=None))
    assert "36 other stretches" in words and len(words) < 200


def test_a_price_that_nobody_knows_is_not_shown_as_nothing() -> None:
    assert "Nobody knows" in price_of_all(None, complete=False)


def test_a_recall_of_an_older_version_is_told_by_its_ways() -> None:
    old = e.from_json(
        '{"event": "Recalled", "query": "why", "hits": [{"address": "mem://1", "role": "user", '
        '"at": "2025-05-03 14:02", "ways": ["vector", "text"], "score": 0.5, "text": "a", '
        '"placed": true}], "ways": ["vector", "text"], "ms": 3.0, "tokens": 9, "complete": true}'
    )
    assert isinstance(old, e.Recalled)
    assert how_words(old) == "1 vector · 1 text"
    assert why_page(old, 78).plain


@pytest.mark.parametrize("cells", [40, 58, 77, 118])
@pytest.mark.parametrize("event", [m.CLIMBED, m.LIKELY, m.READ, RECALLED])
def test_why_never_outgrows_its_width(event: e.Recalled, cells: int) -> None:
    assert max(cell_len(line) for line in why_page(event, cells).plain.split("\n")) <= cells


def test_why_says_which_past_question_answered_what_was_not_climbed_and_what_is_unread() -> None:
    text = " ".join(why_page(m.CLIMBED, 78).plain.split())
    assert "The best memory came from pointers" in text
    assert f"The past question “{m.KEYS[1].question}” had led there." in text
    assert "Not climbed: anchors, near, scan, reading" in text
    assert "5,356 memories" in text and "96 calls" in text


def test_why_says_so_where_nobody_has_read_what_looks_alike() -> None:
    text = " ".join(why_page(m.LIKELY, 78).plain.split())
    assert "It looks alike, nobody read it." in text and "no judge was asked" in text


def test_steps_that_found_nothing_share_a_line_where_there_is_little_room() -> None:
    brief = [line.plain for line in ladder(m.LIKELY.steps, 78, brief=True)]
    assert brief[1] == "found nothing: jumps, pins, pointers, anchors"
    assert len(brief) < len(ladder(m.LIKELY.steps, 78))


# ---- the page --------------------------------------------------------------------------------


async def test_the_ladder_is_shown_step_by_step_while_it_is_climbed() -> None:
    step = asyncio.Semaphore(0)
    app, session = app_with(asking(step=step))
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        assert "jumps" in shown(app) and "esc Stop" in rows(app)[-1]
        for number, seen in enumerate(m.STEPS):
            assert f"\n {seen.rung:<9} " in shown(app) and " ..." in shown(app), number
            step.release()
            await until(pilot, lambda seen=seen: f"\n {seen.rung:<9} {seen.found:>5}" in shown(app))
        step.release()
        await until(pilot, lambda: "answered by pointers" in shown(app))
        assert session.wishes == [("recall", m.ASKED, False, False)]


async def test_g_digs_deeper() -> None:
    app, session = app_with(asking())
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "g Deeper" in rows(app)[-1])
        await pilot.press("g")
        await until(pilot, lambda: "answered by reading" in shown(app))
        assert session.wishes[-1] == ("recall", m.ASKED, True, False)


async def test_x_tells_the_price_and_reads_everything_only_when_it_is_allowed() -> None:
    app, session = app_with(asking())
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await pilot.press("x")
        await until(pilot, lambda: "takes 96 calls, 410k tokens of the judge" in shown(app))
        await pilot.press("g", "w", "enter")
        assert len(session.wishes) == 1
        await pilot.press("n", "x", "escape")
        await until(pilot, lambda: "answered by pointers" in shown(app))
        assert len(session.wishes) == 1
        await pilot.press("x", "y")
        await until(pilot, lambda: "answered by reading" in shown(app))
        assert session.wishes[-1] == ("recall", m.ASKED, True, True)


async def test_w_calls_the_marked_memory_wrong_and_shows_what_a_deeper_look_brought() -> None:
    app, session = app_with(asking())
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await pilot.press("down", "w")
        await until(pilot, lambda: "Learned: not “decision: prune late" in shown(app))
        assert session.wishes[-1] == ("wrong", 41, (m.SURE[1].address,))
        text = " ".join(shown(app).split())
        assert "answered by reading" in text and " wrong " in text
        assert not app.chat.query(RecallCard)


async def test_enter_pins_the_marked_memory() -> None:
    app, session = app_with(asking())
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: "Pinned" in shown(app))
        assert session.wishes[-1] == ("pin", m.SURE[0].address)


async def test_leaving_the_page_stops_the_search() -> None:
    app, session = app_with(asking(step=asyncio.Semaphore(0)))
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: session.wishes)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        await until(pilot, lambda: not [w for w in app.workers if w.group == "recall"])


class Failing(FakeSession):
    async def recall_steps(self, text: str, **_: Any) -> e.Recalled:
        raise OSError("the disk is full")


async def test_a_search_that_fails_is_told_of_and_can_be_tried_again() -> None:
    app, _ = app_with(Failing())
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "the disk is full" in shown(app))
        assert "g Deeper" in rows(app)[-1]


async def test_why_opens_and_goes_on_to_a_deeper_look() -> None:
    app, session = app_with(asking(explained=m.CLIMBED))
    async with app.run_test(size=(100, 40)) as pilot:
        await opened(pilot, app, "/why")
        await until(pilot, lambda: "What may be missing" in shown(app))
        await pilot.press("g")
        await until(pilot, lambda: "answered by" in shown(app))
        assert session.wishes == [("recall", m.ASKED, True, False)]


async def test_why_says_so_where_nothing_was_recalled() -> None:
    app, _ = app_with()
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/why")
        await until(pilot, lambda: any("Nothing was recalled" in text for text in notices(app)))


async def test_recall_without_words_waits_for_them_in_the_composer() -> None:
    app, _ = app_with()
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/recall")
        await until(pilot, lambda: app.chat.composer.text == "/recall ")


# ---- the card --------------------------------------------------------------------------------


async def test_the_card_says_which_step_answered_what_it_cost_and_that_it_is_incomplete() -> None:
    app, session = app_with()
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot, app)
        session.say(m.CLIMBED)
        words = "● recall      3 memories   by pointers · 1 call, 820 tokens · incomp"
        await until(pilot, lambda: words in shown(app))
        app.chat.query_one(RecallCard).action_turn()
        await until(pilot, lambda: "5,356 memories (1 to 4,960 and" in shown(app))
        assert "pointers 2 (1 call, 820 tokens, 412 ms)" in shown(app)


async def test_a_way_that_failed_is_an_alarm_and_that_not_all_was_read_is_none() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot, app)
        session.say(m.LIKELY)
        await until(pilot, lambda: "● recall" in shown(app))
        session.say(replace(m.LIKELY, notice="vectors cannot be asked"))
        await until(pilot, lambda: "! recall" in shown(app))


async def test_w_on_an_open_card_calls_it_wrong_and_what_is_found_instead_is_a_card() -> None:
    app, session = app_with(asking(m.READ))
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot, app)
        session.say(m.CLIMBED)
        await until(pilot, lambda: app.chat.query(RecallCard))
        card = app.chat.query_one(RecallCard)
        card.focus()
        await until(pilot, lambda: app.focused is card)
        assert "w Wrong" not in rows(app)[-1]
        await pilot.press("enter")
        await until(pilot, lambda: "w Wrong" in rows(app)[-1])
        await pilot.press("w")
        await until(pilot, lambda: "w again: this was not what I meant" in shown(app))
        assert session.wishes == []
        await pilot.press("w")
        await until(pilot, lambda: "● dug deeper  2 memories" in shown(app))
        assert session.wishes == [("wrong", 41, ())]
        assert "called wrong" in shown(app)


@pytest.mark.parametrize("opens", [True, False])
async def test_words_that_begin_with_w_are_prose_on_a_card_too(opens: bool) -> None:
    app, session = app_with(asking(m.READ))
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot, app)
        session.say(m.CLIMBED)
        await until(pilot, lambda: app.chat.query(RecallCard))
        card = app.chat.query_one(RecallCard)
        card.focus()
        await until(pilot, lambda: app.focused is card)
        await pilot.press(*(["enter"] if opens else []), *"why")
        await until(pilot, lambda: app.chat.composer.text == "why")
        assert session.wishes == [] and not card.asks


@pytest.mark.parametrize(
    ("argument", "addresses"),
    [("", ()), ("PRUNE late", (m.SURE[1].address,)), (m.SURE[2].address, (m.SURE[2].address,))],
)
async def test_wrong_means_the_last_recall_or_the_memories_that_hold_the_words(
    argument: str, addresses: tuple[str, ...]
) -> None:
    app, session = app_with(asking(m.READ))
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot, app)
        session.say(m.CLIMBED)
        await send(pilot, f"/wrong {argument}")
        await until(pilot, lambda: "dug deeper" in shown(app))
        assert session.wishes == [("wrong", 41, addresses)]
        assert ("called wrong" in shown(app)) == (not addresses)


@pytest.mark.parametrize(
    ("event", "argument", "words"),
    [
        (None, "", "Nothing was recalled"),
        (replace(m.CLIMBED, hits=()), "", "found nothing that could be wrong"),
        (replace(m.CLIMBED, recollection=0), "", "not kept on file"),
        (m.CLIMBED, "no such words", "No memory of the last recall holds"),
        (replace(m.CLIMBED, recollection=-1), "", "no recollection -1"),
    ],
)
async def test_what_cannot_be_wrong_is_said_in_words(
    event: e.Recalled | None, argument: str, words: str
) -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot, app)
        if event is not None:
            session.say(event)
        await send(pilot, f"/wrong {argument}".strip())
        await until(pilot, lambda: any(words in text for text in notices(app)))
        assert "called wrong" not in shown(app)
