from __future__ import annotations

import asyncio

import pytest

from growbox_tui.agent.errata import Front
from growbox_tui.agent.events import Napped, PlanItem, Rebased
from growbox_tui.agent.records import keep_plan
from growbox_tui.agent.standing import INSTEAD, rules_in, standing
from memory.memory import Memory
from memory.types import Epoch, Item
from tests.agent.test_front import held_back, says
from tests.agent.test_room import Voice
from tests.doubles.hands import Bench, of, session_on

NOTHING = Front()
RULES = Front(rules=("no emoji",))
OTHERS = Front(rules=("no emoji", "run pytest"))
OPEN, DONE = (PlanItem("mend", "open"),), (PlanItem("mend", "done"),)


def epoch_of(*texts: str) -> Epoch:
    items = [Item(f"standing:{text}", text, 9, "standing") for text in texts]
    return Epoch(1, (), (), tuple(items), 1, "")


def reads(plan: tuple[PlanItem, ...], now: Front, *stood: str) -> tuple[str, ...]:
    """All that stands in the region of a warm epoch, behind what stood there."""
    made = standing(plan, NOTHING, now, epoch_of(*stood))
    return (*stood, *(text for text in made if text not in stood))


def test_what_holds_as_it_stands_is_told_once() -> None:
    once = reads(OPEN, RULES)
    assert len(once) == 2
    assert reads(OPEN, RULES, *once) == once


def test_rules_that_the_region_says_hold_are_those_of_its_newest_text() -> None:
    dropped = Front(rules=("run pytest",))
    first = reads((), OTHERS)
    made = standing((), RULES, dropped, epoch_of(*first))
    assert rules_in(epoch_of()) == set()
    assert rules_in(epoch_of(*first)) == {"no emoji", "run pytest"}
    assert rules_in(epoch_of(*first, *made)) == {"run pytest"}


def test_what_holds_no_more_is_told_so_while_it_stands() -> None:
    stood = reads(OPEN, RULES)
    plan_and_rules = reads(DONE, NOTHING, *stood)
    assert len(plan_and_rules) == 4
    assert all("not hold any more" in text for text in plan_and_rules[2:])
    assert reads(DONE, NOTHING, *plan_and_rules) == plan_and_rules
    assert standing(DONE, NOTHING, NOTHING, None) == ()


def test_what_changed_takes_the_place_of_what_stands() -> None:
    stood = reads((), OTHERS, *reads((), RULES))
    assert stood[-1].startswith(INSTEAD)
    assert "run pytest" in stood[-1]
    assert reads((), OTHERS, *stood) == stood


def test_what_comes_and_goes_is_right_at_its_newest_each_time() -> None:
    stood: tuple[str, ...] = ()
    for now in (RULES, OTHERS, RULES, NOTHING, RULES, NOTHING, OTHERS):
        before = stood
        stood = reads((), now, *before)
        assert len(stood) == len(before) + 1
        assert ("no emoji" in stood[-1]) == ("no emoji" in now.rules)
        assert ("run pytest" in stood[-1]) == ("run pytest" in now.rules)


async def ends_warm(bench: Bench) -> None:
    """Talk until an epoch ends for want of room."""
    for _ in range(60):
        if of(await bench.ask("continue"), Rebased):
            return
    raise AssertionError("no epoch ended")


async def test_a_rule_that_was_taken_back_stands_in_no_later_epoch_as_one(memory: Memory) -> None:
    bench = await session_on(memory, Voice(words="word " * 1_500))
    talk = bench.session.talk
    talk.now = lambda: 1_000.0
    await bench.ask("hello")
    await bench.session.add_rule("no emoji in commits")
    await keep_plan(talk, OPEN)
    await ends_warm(bench)
    assert "[ ] mend" in str(talk.window.epoch)
    await bench.session.drop_rule(talk.rules[0].id)
    await keep_plan(talk, DONE)
    await ends_warm(bench)
    await ends_warm(bench)
    texts = [item.body for item in talk.window.epoch.items if item.kind == "standing"]
    assert texts == [] or ["not hold any more" in text for text in texts].count(True) == 2


async def test_an_epoch_that_was_begun_is_known_though_its_turn_was_stopped(
    memory: Memory,
) -> None:
    clock = [1_000.0]
    bench = await session_on(memory, Voice())
    talk = bench.session.talk
    talk.now = lambda: clock[0]
    await bench.ask("one")
    await bench.session.add_rule("no emoji in commits")
    await bench.ask("two")
    clock[0] += 999_999.0
    begin_epoch = memory.begin_epoch
    memory.begin_epoch, begun, release = held_back(begin_epoch)
    turn = asyncio.create_task(bench.session.prompt("three"))
    await begun.wait()
    stop = asyncio.create_task(bench.session.cancel())
    await asyncio.sleep(0)
    release.set()
    await asyncio.gather(turn, stop)
    assert "no emoji" in talk.window.epoch.system[-1]
    assert talk.errata.stands.rules == ("no emoji in commits",)
    assert len(of(bench.drain(), Rebased)) == 1


@pytest.mark.parametrize("stopped", [False, True])
async def test_a_nap_is_whole_whatever_happens_meanwhile(memory: Memory, stopped: bool) -> None:
    bench = await session_on(memory, says(9))
    talk = bench.session.talk
    await bench.ask("one")
    await keep_plan(talk, OPEN)
    nap = memory.nap
    memory.nap, begun, release = held_back(nap)
    napping = asyncio.create_task(bench.session.nap())
    await begun.wait()
    await bench.session.add_rule("no emoji in commits")
    stop = asyncio.create_task(bench.session.cancel() if stopped else asyncio.sleep(0))
    await asyncio.sleep(0)
    release.set()
    await asyncio.gather(napping, stop)
    assert of(bench.drain(), Napped)
    assert talk.plan == ()
    assert talk.errata.stands.rules == ()
    await bench.ask("two")
    assert "no emoji" in str(bench.model.requests[-1].messages)
