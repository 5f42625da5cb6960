"""What changes in front of a conversation is told behind it, and no byte of the prefix moves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from growbox_tui.agent import late_hands
from growbox_tui.agent.events import (
    Failed,
    HandsArrived,
    Notice,
    PlanChanged,
    Rebased,
    RulesChanged,
    ToolEnded,
    ToolStarted,
    WindowChanged,
)
from growbox_tui.agent.messages import Message, Text
from growbox_tui.models.protocol import Model, ModelFacts, Reply, Request
from growbox_tui.models.scripted_model import ScriptedModel
from memory.memory import Memory
from memory.types import NewNode
from tests.doubles.hands import Bench, Hand, of, session_on

WORDS = ("You are a test.", "Use your hands.")


def says(count: int, words: str = "ok") -> ScriptedModel:
    return ScriptedModel.parse("\n---\n".join(f"say {words} {n}" for n in range(count)))


def told(request: Request) -> str:
    """The newest user message, its parts joined."""
    parts = [m.parts for m in request.messages if m.role == "user"][-1]
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def prefix_stood(before: Request, after: Request) -> bool:
    return (
        before.tools == after.tools
        and before.system == after.system
        and after.messages[: len(before.messages)] == before.messages
    )


async def edited(bench: Bench, instructions: str) -> None:
    bench.session.talk.system = lambda: (*WORDS, instructions)


async def test_edited_instructions_are_told_as_a_diff_and_the_prefix_stands(memory: Memory) -> None:
    model = says(4)
    bench = await session_on(memory, model)
    lines = [f"rule of the house {n}" for n in range(30)]
    await edited(bench, "\n".join(lines))
    await bench.ask("one")
    lines[7] = "tests go first"
    await edited(bench, "\n".join(lines))
    await bench.ask("two")
    await bench.ask("three")
    first, second, third = model.requests
    assert prefix_stood(first, second)
    assert prefix_stood(second, third)
    assert "+tests go first" in told(second)
    assert "rule of the house 20" not in told(second)
    assert "tests go first" not in told(third)


async def test_a_rule_is_told_once_stands_for_a_resumed_session_and_in_front_of_the_next_epoch(
    memory: Memory,
) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    await bench.ask("one")
    await bench.session.add_rule("提交前先跑 lint")
    views = await bench.session.rules()
    assert [(view.text, view.source, view.standing) for view in views] == [
        ("提交前先跑 lint", "stated", False)
    ]
    await bench.ask("two")
    assert prefix_stood(model.requests[0], model.requests[1])
    assert "提交前先跑 lint" in told(model.requests[1])
    again = says(3)
    resumed = await session_on(memory, again, session=bench.session.id)
    await resumed.session.start()
    assert of(resumed.drain(), RulesChanged)[0].rules == views
    await resumed.ask("three")
    assert prefix_stood(model.requests[1], again.requests[0])
    assert "提交前" not in told(again.requests[0])
    await resumed.session.nap()
    await resumed.ask("four")
    assert "提交前先跑 lint" in again.requests[1].system[-1]
    assert [view.standing for view in await resumed.session.rules()] == [True]


async def test_a_rule_stands_once_an_epoch_has_begun_though_the_system_text_stays(
    memory: Memory,
) -> None:
    bench = await session_on(memory, says(6, "word " * 1_500))
    for number in range(4):
        await bench.ask(f"question {number}")
    await bench.session.add_rule("no emoji in commits")
    assert await bench.session.compact()
    assert [view.standing for view in await bench.session.rules()] == [True]
    told = of(bench.drain(), RulesChanged)
    assert [event.rules[0].standing for event in told] == [False, True]
    assert "emoji" not in "".join(bench.session.talk.window.epoch.system)


async def test_a_rule_that_was_changed_or_dropped_is_told_as_such(memory: Memory) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    await bench.session.add_rule("no emoji in commits")
    await bench.session.add_rule("run pytest with -n 0")
    await bench.ask("one")
    assert "no emoji" in model.requests[0].system[-1]
    first, second = await bench.session.rules()
    await bench.session.edit_rule(first.id, "no emoji anywhere")
    await bench.session.drop_rule(second.id)
    await bench.ask("two")
    assert prefix_stood(model.requests[0], model.requests[1])
    note = told(model.requests[1])
    assert "- no emoji anywhere" in note
    assert "any more:]\n- no emoji in commits\n- run pytest with -n 0" in note
    with pytest.raises(LookupError):
        await bench.session.drop_rule(second.id)
    with pytest.raises(LookupError):
        await bench.session.edit_rule(99, "x")


async def test_the_51st_rule_is_refused_aloud(memory: Memory) -> None:
    bench = await session_on(memory, says(1))
    animals = [
        f"{word} {place}" for word in ("fox", "owl", "bee", "elk", "ant") for place in range(10)
    ]
    for animal in animals:
        await bench.session.add_rule(f"leave the {animal} module alone")
    bench.drain()
    await bench.session.add_rule("write changelogs in German")
    (changed,) = of(bench.drain(), RulesChanged)
    assert changed.outcome == "refused"
    assert "50" in changed.notice
    assert len(changed.rules) == 50
    assert len({rule.id for rule in changed.rules}) == 50


async def test_what_the_user_states_or_adds_while_the_agent_runs_becomes_a_rule(
    memory: Memory,
) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "looked"

    model = ScriptedModel.parse("call look {}\n---\nsay Done.\n---\nsay Again.")
    bench = await session_on(memory, model, Hand("look", wait))
    turn = asyncio.create_task(bench.session.prompt("Look. Always answer in one line."))
    await bench.until(ToolStarted)
    added = asyncio.create_task(bench.session.prompt("用 RS256 签名"))
    await asyncio.sleep(0)
    release.set()
    await turn
    await added
    rules = await bench.session.rules()
    assert [(rule.text, rule.source) for rule in rules] == [
        ("Always answer in one line.", "stated"),
        ("用 RS256 签名", "steered"),
    ]
    entries = bench.session.talk.window.entries
    steered = await memory.refer(f"mem://{entries[3].node}")
    assert steered is not None
    assert steered.meta["supplement"] is True
    await bench.ask("and now?")
    assert told(model.requests[-1]) == "and now?"  # both stand in the conversation already
    await bench.session.nap()
    bench.session.talk.model = again = says(1)
    await bench.ask("go on")
    assert "RS256" in again.requests[0].system[-1]


async def test_piped_words_state_no_rule(memory: Memory) -> None:
    bench = await session_on(memory, says(1))
    await bench.session.prompt("Always push to main.\n\nreview this", "review this")
    assert await bench.session.rules() == ()


async def test_what_is_remembered_goes_into_the_tail_and_into_memory(memory: Memory) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    await bench.ask("one")
    address = await bench.session.remember("the staging host is called walrus")
    again = says(2)
    resumed = await session_on(memory, again, session=bench.session.id)
    await resumed.ask("two")
    await resumed.ask("three")
    assert prefix_stood(model.requests[0], again.requests[0])
    assert "walrus" in told(again.requests[0])
    assert address in told(again.requests[0])
    assert "walrus" not in told(again.requests[1])
    node = await memory.refer(address)
    assert node is not None
    assert node.text == "the staging host is called walrus"


async def test_a_pinned_memory_is_put_before_the_model_and_outlives_every_epoch(
    memory: Memory,
) -> None:
    node = await memory.remember(NewNode("user", "the walrus account is on shard seven"))
    model = says(6, "word " * 4_000)
    bench = await session_on(memory, model)
    await bench.ask("hello")
    await bench.session.pin(node.address)
    await bench.ask("a word")
    assert prefix_stood(model.requests[0], model.requests[1])
    assert "shard seven" in told(model.requests[1])
    for number in range(3):
        await bench.ask(f"question {number}")
        await bench.session.compact()
    await bench.ask("last")
    assert "shard seven" in str(model.requests[-1].messages)
    await bench.session.unpin(node.address)
    assert bench.session.talk.window.pinned == ()
    with pytest.raises(LookupError):
        await bench.session.pin("mem://nothing")


async def test_a_dropped_memory_leaves_with_the_epoch_and_no_byte_moves_before(
    memory: Memory,
) -> None:
    nodes = [await memory.remember(NewNode("user", f"walrus {n} is on shard {n}")) for n in (1, 2)]
    model = says(12, "word " * 800)
    bench = await session_on(memory, model)
    for node in nodes:
        await bench.session.pin(node.address)
    await bench.ask("hello")
    for node in nodes:
        await bench.session.unpin(node.address)
    while bench.session.talk.window.tail_tokens < 6_000:
        await bench.ask("continue")
    await bench.session.compact()
    assert "shard 1" in str(bench.session.talk.window.epoch)
    await bench.ask("continue")

    await bench.session.drop(nodes[0].address)
    items = of(bench.drain(), WindowChanged)[-1].items
    assert {item.address: item.leaving for item in items} == {
        nodes[0].address: True,
        nodes[1].address: False,
    }
    await bench.ask("continue")
    assert prefix_stood(*model.requests[-2:])
    assert await bench.session.compact()
    await bench.ask("continue")
    assert "shard 1" not in str(model.requests[-1])
    assert "shard 2" in str(model.requests[-1])
    with pytest.raises(LookupError):
        await bench.session.drop(nodes[0].address)
    with pytest.raises(LookupError):
        await bench.session.drop("mem://nothing")


async def test_a_dropped_memory_that_is_found_again_stays(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", "the walrus account is on shard seven"))
    bench = await session_on(memory, says(4))
    await bench.ask("where is the walrus account?")
    await bench.session.drop(node.address)
    assert of(bench.drain(), WindowChanged)[-1].items[0].leaving
    resumed = await session_on(memory, says(2), session=bench.session.id)
    await resumed.session.start()
    assert of(resumed.drain(), WindowChanged)[-1].items[0].leaving
    events = await resumed.ask("which shard has the walrus account?")
    assert not of(events, WindowChanged)[-1].items[0].leaving
    assert resumed.session.talk.window.evicted == frozenset()


async def test_a_pinned_memory_is_shown_as_such_and_not_when_it_is_dropped(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", "the walrus account is on shard seven"))
    bench = await session_on(memory, says(4))
    await bench.session.pin(node.address)
    await bench.ask("hello")
    (item,) = of(bench.drain() or bench.events, WindowChanged)[-1].items
    assert (item.pinned, item.leaving) == (True, False)
    await bench.session.drop(node.address)
    (item,) = of(bench.drain(), WindowChanged)[-1].items
    assert (item.pinned, item.leaving) == (False, True)


async def test_whether_the_cache_is_kept_alive_can_be_asked(memory: Memory) -> None:
    bench = await session_on(memory, says(1))
    assert not bench.session.warm
    await bench.session.keep_warm(True)
    assert bench.session.warm


async def test_a_late_tool_is_announced_and_called_and_the_list_of_tools_stands(
    memory: Memory,
) -> None:
    model = ScriptedModel.parse(
        'say One.\n---\ncall fetch {"page": "a"}\n---\nsay Two.\n---\nsay x'
    )
    bench = await session_on(memory, model, Hand("look", lambda a, j: ""))
    await bench.ask("one")
    fetch = Hand("fetch", lambda arguments, job: "the page")
    late_hands.arrive(bench.session.talk, [fetch])
    assert of(bench.drain(), HandsArrived)[0].names == ("fetch",)
    events = await bench.ask("two")
    assert prefix_stood(model.requests[0], model.requests[1])
    assert "call_tool" in told(model.requests[1])
    assert "the fetch hand" in told(model.requests[1])
    assert of(events, ToolEnded)[0].detail.body == "the page"
    await bench.session.compact()
    late_hands.leave(bench.session.talk, ["fetch"])
    await bench.ask("three")
    assert "not there any more: fetch" in told(model.requests[-1])
    assert model.requests[-1].tools == model.requests[0].tools


async def test_late_tools_before_one_that_is_refused_are_there_and_are_told(
    memory: Memory,
) -> None:
    bench = await session_on(memory, says(1), Hand("look", lambda a, j: ""))
    late = [Hand(name, lambda a, j: "") for name in ("pull", "fetch", "look")]
    with pytest.raises(ValueError, match="look"):
        late_hands.arrive(bench.session.talk, late)
    assert of(bench.drain(), HandsArrived)[0].names == ("fetch",)
    await bench.ask("hello")
    assert "the fetch hand" in str(bench.model.requests[0].messages)


async def test_a_compaction_that_breaks_is_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = await session_on(memory, says(3))
    await bench.ask("word " * 9_000)
    await bench.ask("and on")

    async def breaks(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a fault of our own")

    with monkeypatch.context() as patch:
        patch.setattr(memory, "begin_epoch", breaks)
        assert not await bench.session.compact()
    assert "a fault of our own" in of(bench.drain(), Failed)[0].text
    assert await bench.session.compact()


async def test_another_model_and_back_sends_the_same_prefix_and_says_what_it_costs(
    memory: Memory,
) -> None:
    script = "facts input=3e-6 output=1e-5 read=1e-7\n" + "\n---\n".join(["say ok"] * 3)
    here, there = ScriptedModel.parse(script), Other()
    bench = await session_on(memory, here)
    voices: dict[str, Model] = {"here": here, "there": there}

    async def open_model(name: str) -> Model:
        return voices[name]

    bench.session._voices._open = open_model
    await bench.ask("one " + "word " * 1_500)
    await bench.session.use_model("there")
    (warning,) = of(bench.drain(), Notice)
    assert warning.level == "warning"
    assert "does not follow: they are read anew once, for about $0." in warning.text
    await bench.ask("two")
    await bench.session.use_model("here")
    assert of(bench.drain(), Notice) == []  # Its own cache is still there.
    await bench.ask("three")
    assert prefix_stood(here.requests[0], here.requests[1])
    assert prefix_stood(here.requests[0], there.requests[0])


class Other:
    """Another voice."""

    name = "openai/other"
    takes_tools = True
    facts = ModelFacts(input_price=1e-4, output_price=5e-4)

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        self.requests.append(request)
        yield Reply(Message("assistant", (Text("there"),)), "end", None)

    async def close(self) -> None:
        pass


async def test_the_open_plan_stands_through_epochs_and_a_new_process(memory: Memory) -> None:
    steps = '{"steps": [{"text": "mend the parser", "state": "doing"}]}'

    model = ScriptedModel.parse(
        "\n---\n".join([f"call plan {steps}", *["say " + "word " * 4_000] * 9])
    )
    bench = await session_on(memory, model, PlanHand())
    await bench.ask("plan it")
    for number in range(3):
        await bench.ask(f"question {number}")
        await bench.session.compact()
    assert of(bench.events, PlanChanged)
    assert "[~] mend the parser" in str(model.requests[-1].messages[0])
    again = says(1)
    resumed = await session_on(memory, again, PlanHand(), session=bench.session.id)
    await resumed.session.start()
    assert of(resumed.drain(), PlanChanged)[0].items[0].text == "mend the parser"
    await resumed.session.compact()
    await resumed.ask("go on")
    assert "mend the parser" in str(again.requests[0].messages)
    await resumed.session.nap()
    assert of(resumed.drain(), PlanChanged)[-1].items == ()


class PlanHand(Hand):
    """A hand whose outcome carries a plan."""

    def __init__(self) -> None:
        super().__init__("plan", lambda arguments, job: "kept")

    async def run(self, arguments, job):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        outcome = await super().run(arguments, job)
        plan = tuple((step["text"], step["state"]) for step in arguments["steps"])
        return replace(outcome, plan=plan)


async def test_a_compaction_asks_no_model_and_is_told_with_its_sizes(memory: Memory) -> None:
    model = says(6, "word " * 1_500)
    bench = await session_on(memory, model)
    for number in range(4):
        await bench.ask(f"question {number}")
    asked = len(model.requests)
    assert await bench.session.compact()
    (rebased,) = of(bench.drain(), Rebased)
    assert rebased.after < rebased.before
    assert rebased.after == bench.session.talk.real(bench.session.talk.window.tokens)
    assert len(model.requests) == asked
    small = await session_on(memory, says(1))
    assert not await small.session.compact()


async def test_a_cut_reply_goes_on_with_the_first_messages_to_the_byte(memory: Memory) -> None:
    model = ScriptedModel.parse("say half\nstop length\n---\nsay and half")
    bench = await session_on(memory, model)
    await bench.ask("tell me")
    await bench.ask("continue")
    assert prefix_stood(*model.requests)


async def test_a_commit_in_the_repository_changes_nothing_in_front(
    memory: Memory, tmp_path: Path
) -> None:
    model = says(2)
    bench = await session_on(memory, model, project=tmp_path)
    await bench.ask("one")
    (tmp_path / "new.txt").write_text("x")
    await bench.ask("two")
    assert prefix_stood(*model.requests)


def held_back(work):  # type: ignore[no-untyped-def]
    """A verb of memory that waits before it does its work: it, its having begun, its release."""
    begun, release = asyncio.Event(), asyncio.Event()

    async def slow(*args, **kwargs):  # type: ignore[no-untyped-def]
        begun.set()
        await release.wait()
        return await work(*args, **kwargs)

    return slow, begun, release


async def test_a_rule_stated_while_words_are_recorded_is_told_with_the_next_ones(
    memory: Memory,
) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    await bench.ask("one")
    record = memory.record
    memory.record, begun, release = held_back(record)
    turn = asyncio.create_task(bench.session.prompt("two"))
    await begun.wait()
    await bench.session.add_rule("no emoji in commits")
    release.set()
    await turn
    memory.record = record
    await bench.ask("three")
    assert "no emoji" in told(model.requests[2])


async def test_a_rule_stated_while_words_become_one_is_told_with_the_next_ones(
    memory: Memory,
) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    await bench.ask("one")
    add_rule = memory.add_rule
    memory.add_rule, begun, release = held_back(add_rule)
    turn = asyncio.create_task(bench.session.prompt("Always answer in one line."))
    await begun.wait()
    memory.add_rule = add_rule
    await bench.session.add_rule("no emoji in commits")
    release.set()
    await turn
    await bench.ask("three")
    assert "no emoji" in told(model.requests[2])
    assert "one line" not in told(model.requests[2])


async def test_what_is_remembered_while_recall_runs_goes_out_with_the_next_words(
    memory: Memory,
) -> None:
    model = says(3)
    bench = await session_on(memory, model)
    recall = memory.recall
    memory.recall, begun, release = held_back(recall)
    turn = asyncio.create_task(bench.session.prompt("how is the orchard?"))
    await begun.wait()
    await bench.session.remember("the staging host is called walrus")
    release.set()
    await turn
    memory.recall = recall
    await bench.ask("and now?")
    assert "walrus" in told(model.requests[1])


async def test_what_is_remembered_while_a_turn_runs_goes_out_with_the_words_added_to_it(
    memory: Memory,
) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "looked"

    model = ScriptedModel.parse("call look {}\n---\nsay Done.\n---\nsay Again.")
    bench = await session_on(memory, model, Hand("look", wait))
    turn = asyncio.create_task(bench.session.prompt("look"))
    await bench.until(ToolStarted)
    await bench.session.remember("the staging host is called walrus")
    added = asyncio.create_task(bench.session.prompt("and hurry"))
    await asyncio.sleep(0)
    release.set()
    await asyncio.gather(turn, added)
    assert "walrus" in told(model.requests[1])
    await bench.ask("next")
    assert "walrus" not in told(model.requests[2])


async def test_more_pins_than_there_is_room_for_wait_and_are_told_of(memory: Memory) -> None:
    model = says(9, "word " * 90)
    bench = await session_on(memory, model)
    for number in range(60):
        text = f"walrus {number} " + "has a tusk and a name of its own. " * 120
        await bench.session.pin((await memory.remember(NewNode("user", text))).address)
    assert "unpinned" in of(bench.drain(), Notice)[-1].text
    for number in range(6):
        await bench.ask(f"question {number}")
    assert of(bench.events, Rebased) == []
    sizes = [len(str(request.messages)) for request in model.requests]
    assert max(sizes) - sizes[0] < 9_000
    assert "walrus 0 " in str(model.requests[-1].messages)
