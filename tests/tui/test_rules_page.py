"""The rules page and the commands of the prompt, as a user meets them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from textual.widgets import Input

from growbox_tui.actions import ACTIONS
from growbox_tui.agent import events as e
from growbox_tui.agent.events import Warmed
from growbox_tui.prompt_commands import NAMES
from growbox_tui.screens.pins import PinsScreen
from growbox_tui.screens.rules import RulesScreen
from growbox_tui.shown_memories import matching, shown_memories
from tests.tui.fake_session import FakeSession, app_with, send, until
from tests.tui.specimens import HITS, ITEMS, PROMPT, USAGE
from tests.tui.stories import RULES
from tests.tui.test_chat import notices, ready, shown


async def opened(pilot: Any, app: Any) -> RulesScreen:
    await ready(pilot, app)
    await send(pilot, "/rules")
    await until(pilot, lambda: isinstance(app.screen, RulesScreen) and app.screen.focused)
    assert isinstance(app.screen, RulesScreen)
    return app.screen


# ---- the page --------------------------------------------------------------------------------


async def test_what_stands_and_what_waits_are_told_apart_by_words() -> None:
    app, _ = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        text = shown(app)
        assert text.count("  stands  ") == 2
        assert "3 of 50, 1 waits for the next epoch" in text
        assert "  waits   Run the whole" in text


async def test_a_rule_is_added_and_what_became_of_it_is_told() -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("a", *"use tabs", "enter")
        await until(pilot, lambda: "rule 5 is kept: “use tabs”" in shown(app))
        assert session.wishes == [("add", "use tabs")]
        assert "4 of 50" in shown(app)


async def test_a_rule_is_edited_in_place_and_the_mark_stays_there() -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: bool(page.query(Input)))
        assert page.query_one(Input).value == RULES[1].text
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.wishes == [("edit", 2, RULES[1].text + "x")])
        await until(pilot, lambda: "。x" in shown(app) and page.focused is not None)
        assert page._place() == 1


async def test_the_mark_keeps_up_with_keys_that_come_at_once() -> None:
    app, _ = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        page.action_move(1)
        page.action_move(1)
        assert page._place() == 2


async def test_escape_leaves_what_was_written_and_then_the_page() -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        await pilot.press("enter", "x", "escape")
        await until(pilot, lambda: not page.query(Input) and page.focused is not None)
        assert app.screen is page
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert session.wishes == []


async def test_what_was_not_changed_is_not_written() -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        await pilot.press("enter", "enter")
        await until(pilot, lambda: not page.query(Input))
        await pilot.press("a", "enter")
        await until(pilot, lambda: not page.query(Input))
        assert session.wishes == []


@pytest.mark.parametrize(("answer", "wishes"), [("y", [("drop", 1)]), ("n", []), ("down", [])])
async def test_a_rule_is_deleted_only_after_a_yes(answer: str, wishes: list[Any]) -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("y")
        await pilot.press("d")
        await until(pilot, lambda: "Delete this rule?" in shown(app))
        await pilot.press(answer)
        await until(pilot, lambda: "Delete this rule?" not in shown(app))
        assert session.wishes == wishes
        if wishes:
            await until(pilot, lambda: "2 of 50" in shown(app))


async def test_a_rule_that_is_said_meanwhile_does_not_take_the_line_that_is_written() -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        await pilot.press("a", "x")
        more = (*RULES, e.RuleView(5, "never guess", "steered", False))
        session.say(e.RulesChanged(more, "rule 5 is kept", "kept"))
        await until(pilot, lambda: "4 of 50" in shown(app))
        assert page.query_one(Input).value == "x"
        await pilot.press("escape")
        await until(pilot, lambda: "never guess" in shown(app))


async def test_a_refusal_is_told_on_the_page_and_once_in_the_conversation() -> None:
    app, _ = app_with(FakeSession(stated=RULES, refusal="there is no room for a 51st rule"))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("a", "x", "enter")
        await until(pilot, lambda: "no room for a 51st rule." in shown(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert sum("51st" in text for text in notices(app)) == 1


async def test_without_rules_the_page_says_what_will_stand_there() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/rules")
        await until(pilot, lambda: "No rules yet." in shown(app))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen.focused, Input))


async def test_fifty_long_rules_scroll_under_the_mark() -> None:
    many = tuple(replace(RULES[2], id=number, text="长" * 120) for number in range(1, 51))
    app, _ = app_with(FakeSession(stated=many))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        await pilot.press("end")
        await until(pilot, lambda: page._place() == 49)
        await until(pilot, lambda: "  50  " in shown(app))


# ---- commands --------------------------------------------------------------------------------


def test_every_command_of_the_prompt_is_in_the_table_of_actions() -> None:
    assert {action.name for action in ACTIONS if action.command} >= NAMES


@pytest.mark.parametrize(
    ("written", "wish", "words"),
    [
        ("/rules add 用制表符", ("add", "用制表符"), "is kept"),
        ("/rules drop 1", ("drop", 1), "does not hold any more"),
        ("/rules drop 9", ("drop", 9), "There is no rule 9."),
        ("/remember the key is in the hut", ("remember", "the key is in the hut"), "Remembered"),
        ("/compact", ("compact",), "as short as it can be"),
        ("/warm on", ("warm", True), "keep the cache alive"),
        ("/warm off", ("warm", False), "let go"),
        ("/pin mem://XYZ", ("pin", "mem://XYZ"), "Pinned: mem://XYZ"),
        ("/pin naming", ("pin", ITEMS[3].address), "Pinned: branch naming"),
        ("/unpin 约定", ("unpin", ITEMS[2].address), "No longer pinned: is_leaf()"),
        ("/drop 约定", ("drop", ITEMS[2].address), "Dropped: is_leaf()"),
        ("/drop graft", ("drop", ITEMS[0].address), "with the message that shows it"),
        ("/drop mem://nothing", ("drop", "mem://nothing"), "Nothing is remembered under"),
    ],
)
async def test_a_command_does_what_it_says(written: str, wish: tuple[Any, ...], words: str) -> None:
    app, session = app_with(FakeSession(stated=RULES))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        items = (*ITEMS[:2], replace(ITEMS[2], pinned=True), *ITEMS[3:7])
        session.say(e.WindowChanged(items))
        await send(pilot, written)
        await until(pilot, lambda: any(words in text for text in notices(app)))
        assert session.wishes == [wish]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("/warm maybe", "/warm maybe means nothing."),
        ("/rules sort", "/rules sort means nothing."),
        ("/unpin", "No memory is pinned."),
        ("/pin nowhere", "No memory that is shown holds"),
        ("/drop nowhere", "No memory that is shown holds"),
        ("/drop", "No memory stands before the model"),
        ("/warm", "The cache is let go when its time is over."),
    ],
)
async def test_what_means_nothing_is_told_and_changes_nothing(written: str, words: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, written)
        await until(pilot, lambda: any(words in text for text in notices(app)))
        assert session.wishes == []


@pytest.mark.parametrize(
    ("written", "begun"),
    [("/remember", "/remember "), ("/rules add", "/rules add ")],
)
async def test_a_command_that_needs_words_is_begun_in_the_composer(
    written: str, begun: str
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, written)
        await until(pilot, lambda: app.chat.composer.text == begun)
        assert session.wishes == []


async def test_a_memory_is_chosen_from_those_that_are_shown() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.WindowChanged((replace(ITEMS[0], pinned=True), *ITEMS[1:4])))
        await send(pilot, "/pin")
        await until(pilot, lambda: isinstance(app.screen, PinsScreen))
        await pilot.press(*"naming", "enter")
        await until(pilot, lambda: session.wishes == [("pin", ITEMS[3].address)])


async def test_only_what_stands_before_the_model_and_stays_there_can_be_dropped() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.WindowChanged((replace(ITEMS[0], leaving=True), *ITEMS[1:4])))
        await send(pilot, "/drop")
        await until(pilot, lambda: isinstance(app.screen, PinsScreen))
        text = shown(app)
        assert "Drop  3 memories" in text
        assert "unless it is found again" in " ".join(text.split())
        await pilot.press(*"naming", "enter")
        await until(pilot, lambda: session.wishes == [("drop", ITEMS[3].address)])


@pytest.mark.parametrize(("on", "words"), [(True, "keep the cache alive"), (False, "is let go")])
async def test_warm_alone_tells_whether_the_cache_is_kept_alive(on: bool, words: str) -> None:
    app, session = app_with(FakeSession(warm=on))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/warm")
        await until(pilot, lambda: any(words in text for text in notices(app)))
        assert session.wishes == []


async def test_warm_off_takes_back_that_the_cache_is_kept_warm() -> None:
    app, session = app_with(FakeSession(warm=True))
    async with app.run_test(size=(120, 24)) as pilot:
        await ready(pilot, app)
        session.say(PROMPT, USAGE, Warmed(1, 11, 50_000, 0.01, 0.01))
        await until(pilot, lambda: "kept warm 1 of 11" in shown(app))
        await send(pilot, "/warm off")
        await until(pilot, lambda: "kept warm" not in shown(app))


def test_each_memory_is_offered_once_and_found_by_address_or_words() -> None:
    item = replace(ITEMS[0], address=HITS[0].address)
    shown = shown_memories((item,), HITS)
    assert [memory.address for memory in shown] == [hit.address for hit in HITS]
    assert matching(shown, HITS[1].address) == [shown[1]]
    assert matching(shown, "GRAFT children") == [shown[0]]
    assert matching(shown, "") == shown
