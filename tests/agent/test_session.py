from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from growbox_tui.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Failed,
    MessageEnded,
    MessageStarted,
    ModelChanged,
    Napped,
    Notice,
    PromptBuilt,
    QuestionAsked,
    Replayed,
    SessionOpened,
    Steered,
    TextDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from growbox_tui.agent.limits import Learned, Wanted
from growbox_tui.agent.messages import ToolResult, message_from_json
from growbox_tui.agent.room import ready
from growbox_tui.models.scripted_model import ScriptedModel
from memory.memory import Memory
from memory.types import NewNode
from tests.doubles.hands import Bench, Hand, of, session_on
from tests.doubles.patience import FOR_EVER


def results(bench: Bench) -> list[ToolResult]:
    parts = [
        part
        for entry in bench.session.talk.window.entries
        for part in message_from_json(entry.body).parts
    ]
    return [part for part in parts if isinstance(part, ToolResult)]


def calls(bench: Bench) -> list[str]:
    return [
        call.id
        for entry in bench.session.talk.window.entries
        for call in message_from_json(entry.body).calls
    ]


@pytest.mark.parametrize(
    ("choice", "ran", "asked"), [("once", 2, 2), ("session", 2, 1), ("always", 2, 1), ("no", 0, 2)]
)
async def test_an_approval_is_asked_and_its_answer_holds_as_far_as_it_says(
    memory: Memory, choice: str, ran: int, asked: int
) -> None:
    shell = Hand("shell", lambda arguments, job: "ok", claim="shell {command}")
    one = 'call shell {"command": "ls"}'
    model = ScriptedModel.parse(f"{one}\n---\nsay a\n---\n{one}\n---\nsay b")
    bench = await session_on(memory, model, shell)
    for question in ("first", "second"):
        turn = asyncio.create_task(bench.session.prompt(question))
        while not isinstance(event := await bench.until((ApprovalAsked, TurnEnded)), TurnEnded):
            assert isinstance(event, ApprovalAsked)
            assert bench.session.answer(event.ask, choice, "not now")
        await turn
    assert len(shell.ran) == ran
    assert len(of(bench.events, ApprovalAsked)) == asked


async def test_a_refusal_reaches_the_model_with_its_reason(memory: Memory) -> None:
    shell = Hand("shell", lambda arguments, job: "ok", claim="shell {command}")
    model = ScriptedModel.parse(
        'call shell {"command": "ls"}\n---\nexpect use make instead\nsay I see.'
    )
    bench = await session_on(memory, model, shell)
    turn = asyncio.create_task(bench.session.prompt("go"))
    asked = await bench.until(ApprovalAsked)
    assert isinstance(asked, ApprovalAsked)
    bench.session.answer(asked.ask, "no", "use make instead")
    assert (await turn).reason == "done"
    assert shell.ran == []


async def test_an_answer_that_was_not_offered_refuses(memory: Memory) -> None:
    shell = Hand("shell", lambda arguments, job: "ok", claim="shell {command}")
    model = ScriptedModel.parse('call shell {"command": "rm -rf build"}\n---\nsay I see.')
    bench = await session_on(memory, model, shell)
    turn = asyncio.create_task(bench.session.prompt("go"))
    asked = await bench.until(ApprovalAsked)
    assert isinstance(asked, ApprovalAsked)
    bench.session.answer(asked.ask, "session")
    await turn
    assert shell.ran == []


@pytest.mark.parametrize(("stand_in", "ran"), [("yes", 1), ("no", 0)])
async def test_without_a_user_the_flag_decides_and_says_so(
    memory: Memory, stand_in: str, ran: int
) -> None:
    shell = Hand("shell", lambda arguments, job: "ok", claim="shell {command}")
    model = ScriptedModel.parse('call shell {"command": "ls"}\n---\nsay Done.')
    bench = await session_on(memory, model, shell, stand_in=stand_in)
    events = await bench.ask("go")
    assert len(shell.ran) == ran
    assert of(events, ApprovalAnswered)[0].by == ("flag" if ran else "nobody")


async def test_yes_never_grants_what_is_denied(memory: Memory) -> None:
    read = Hand("read", lambda arguments, job: "key", claim="read {path}")
    model = ScriptedModel.parse('call read {"path": "/home/ann/.env"}\n---\nsay No.')
    bench = await session_on(memory, model, read, stand_in="yes")
    await bench.ask("go")
    assert read.ran == []
    assert results(bench)[0].is_error


async def test_a_question_waits_for_the_users_words(memory: Memory) -> None:
    async def put(arguments, job):  # type: ignore[no-untyped-def]
        return await job.ask("tabs or spaces?", ["tabs", "spaces"])

    model = ScriptedModel.parse("call ask {}\n---\nexpect spaces, four\nsay Good.")
    bench = await session_on(memory, model, Hand("ask", put))
    turn = asyncio.create_task(bench.session.prompt("go"))
    asked = await bench.until(QuestionAsked)
    assert isinstance(asked, QuestionAsked)
    assert asked.options == ("tabs", "spaces")
    assert bench.session.answer(asked.ask, "spaces, four")
    assert (await turn).reason == "done"
    assert not bench.session.answer(asked.ask, "again")


async def test_cancel_stops_a_model_that_never_answers(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("hang"))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(MessageStarted)
    async with asyncio.timeout(FOR_EVER):
        await bench.session.cancel()
    assert (await turn).reason == "cancelled"


async def test_cancel_in_a_hand_leaves_every_call_with_a_result(memory: Memory) -> None:
    async def sleep(arguments, job):  # type: ignore[no-untyped-def]
        await asyncio.Event().wait()

    model = ScriptedModel.parse("call nap {}\ncall nap {}\n---\nsay Back.")
    bench = await session_on(memory, model, Hand("nap", sleep))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolStarted)
    await bench.session.cancel()
    await turn
    assert [result.call_id for result in results(bench)] == calls(bench)
    assert (await bench.session.prompt("and now?")).reason == "done"


async def test_cancel_keeps_what_was_shown(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say half a thought\nhang"))
    turn = asyncio.create_task(bench.session.prompt("go"))
    while "thought" not in "".join(event.text for event in of(bench.events, TextDelta)):
        await bench.until(TextDelta)
    await bench.session.cancel()
    await turn
    kept = of(bench.drain(), MessageEnded)
    assert [(event.text, event.stop) for event in kept] == [("half a thought", "cut")]


async def test_words_added_while_a_turn_runs_are_read_by_the_next_request(memory: Memory) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "looked"

    model = ScriptedModel.parse("call look {}\n---\nexpect only the tests\nsay Only the tests.")
    bench = await session_on(memory, model, Hand("look", wait))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolStarted)
    added = asyncio.create_task(bench.session.prompt("only the tests, please"))
    await asyncio.sleep(0)
    release.set()
    assert (await turn).reason == "done"
    assert (await added).turn == (await turn).turn
    assert of(bench.drain(), Steered)[0].text == "only the tests, please"


async def test_a_nap_clears_the_conversation_and_keeps_the_memory(memory: Memory) -> None:
    model = ScriptedModel.parse("say One.\n---\nsay Two.")
    bench = await session_on(memory, model)
    await bench.ask("the first question about foxes")
    before = (await memory.state()).nodes
    await bench.session.nap()
    napped = of(bench.drain(), Napped)[0]
    assert (napped.dropped_messages, napped.kept_memories) == (2, before)
    assert bench.session.talk.window.entries == ()
    await bench.ask("and now?")
    assert "foxes" not in str(model.requests[1].messages)


async def test_a_nap_during_a_turn_waits_for_its_end(memory: Memory) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "looked"

    model = ScriptedModel.parse("call look {}\n---\nsay Done.")
    bench = await session_on(memory, model, Hand("look", wait))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolStarted)
    await bench.session.nap()
    assert of(bench.drain(), Notice)
    release.set()
    await turn
    kinds = [type(event) for event in bench.drain()]
    assert kinds.index(TurnEnded) < kinds.index(Napped)


async def test_a_command_of_the_users_own_runs_unasked_and_the_model_sees_it(
    memory: Memory,
) -> None:
    shell = Hand("shell", lambda arguments, job: "On branch main", claim="shell {command}")
    model = ScriptedModel.parse("expect On branch main\nsay Clean.")
    bench = await session_on(memory, model, shell)
    await bench.session.run_shell("git status")
    assert of(bench.drain(), ToolEnded)[0].name == "shell"
    assert (await bench.session.prompt("what does it say?")).reason == "done"


async def test_a_resumed_conversation_is_told_again_in_order(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "a fox")
    model = ScriptedModel.parse('say Let me see.\ncall look {"what": "den"}\n---\nsay A fox.')
    bench = await session_on(memory, model, look)
    await bench.ask("what is there?")
    resumed = await session_on(
        memory, ScriptedModel.parse("say ok"), look, session=bench.session.id
    )
    await resumed.session.start()
    events = resumed.drain()
    assert isinstance(events[0], SessionOpened)
    told = [(e.role, e.text, e.name, e.title) for e in of(events, Replayed)]
    assert told == [
        ("user", "what is there?", "", ""),
        ("assistant", "Let me see.", "", ""),
        ("tool", "a fox", "look", "den"),
        ("assistant", "A fox.", "", ""),
    ]


async def test_a_call_that_a_crash_interrupted_gets_a_result_on_resume(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "a fox")
    model = ScriptedModel.parse("call look {}\n---\nsay A fox.")
    bench = await session_on(memory, model, look)
    talk = bench.session.talk
    await ready(talk)
    await talk.add(1, "user", (), None)
    from growbox_tui.agent.messages import ToolCall

    await talk.add(1, "assistant", (ToolCall("c1", "look", "{}"),), None)
    resumed = await session_on(
        memory, ScriptedModel.parse("say ok"), look, session=bench.session.id
    )
    await resumed.session.start()
    assert [result.call_id for result in results(resumed)] == ["c1"]
    assert (await resumed.session.prompt("go on")).reason == "done"


async def test_a_nap_ends_the_forecast_of_the_old_prompt(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say a\n---\nsay b"))
    await bench.ask("one")
    await bench.session.nap()
    built = of(await bench.ask("two"), PromptBuilt)[0]
    assert built.predicted == 0 or {s.state for s in built.segments} == {"hit", "new"}


# ---- rows 110, 111, 125 and 126 of the first specification's checklist -----------------------


async def test_the_same_call_to_the_same_end_twice_running_stops_the_turn(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "nothing new")
    again = "say Let me look.\ncall look {}"
    bench = await session_on(memory, ScriptedModel.parse("\n---\n".join([again] * 9)), look)
    events = await bench.ask("go")
    assert of(events, TurnEnded)[0].reason == "repeating"
    assert len(look.ran) == 2


async def test_the_same_call_that_brings_something_new_goes_on(memory: Memory) -> None:
    seen = iter(range(9))
    look = Hand("look", lambda arguments, job: f"{next(seen)} of 3 done")
    again = "say Let me look.\ncall look {}"
    script = "\n---\n".join([again] * 4 + ["say Ready."])
    bench = await session_on(memory, ScriptedModel.parse(script), look)
    assert of(await bench.ask("go"), TurnEnded)[0].reason == "done"


@pytest.mark.parametrize("way", ["max_steps", "cancelled", "failed"])
async def test_the_last_words_shown_are_a_node_exactly_once_however_a_turn_ends(
    memory: Memory, way: str
) -> None:
    from growbox_tui.agent.limits import Limits

    script = {
        "max_steps": "say the last words\ncall look {}\n---\nsay never",
        "cancelled": "say the last words\nhang",
        "failed": "say the last words\nfail badreply what is this",
    }[way]
    look = Hand("look", lambda arguments, job: "x")
    bench = await session_on(memory, ScriptedModel.parse(script), look, limits=Limits(steps=1))
    turn = asyncio.create_task(bench.session.prompt("go"))
    while "words" not in "".join(event.text for event in of(bench.events, TextDelta)):
        await bench.until(TextDelta)
    if way == "cancelled":
        await bench.session.cancel()
    assert (await turn).reason == way
    told = [event for event in of([*bench.events, *bench.drain()], MessageEnded) if event.text]
    assert [event.text for event in told] == ["the last words"]
    node = await memory.refer(told[0].address)
    assert node is not None
    assert node.text == "the last words"


async def test_questions_to_memory_are_answered_while_a_turn_runs_and_no_update_is_lost(
    memory: Memory,
) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "looked"

    model = ScriptedModel.parse("call look {}\n---\nsay Done.")
    bench = await session_on(memory, model, Hand("look", wait))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolStarted)
    async with asyncio.timeout(FOR_EVER):
        before = (await memory.state()).nodes
        notes = [memory.remember(NewNode("user", f"note {n}")) for n in range(20)]
        kept = await asyncio.gather(*notes)
        await bench.session.nap()
        assert (await memory.state()).nodes == before + 20
    release.set()
    assert (await turn).reason == "done"
    for note in kept:
        assert await memory.refer(note.address) == note
    assert of(bench.drain(), Napped)


async def test_two_processes_share_one_memory_file(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    first, second = await Memory.open(path), await Memory.open(path)
    one = await session_on(first, ScriptedModel.parse("say I am one."))
    two = await session_on(second, ScriptedModel.parse("say I am two."))
    ends = await asyncio.gather(one.session.prompt("from one"), two.session.prompt("from two"))
    assert [end.reason for end in ends] == ["done", "done"]
    assert (await first.state()).nodes == (await second.state()).nodes == 4
    await first.close()
    await second.close()


# ---- what dispatch does with calls that cannot be -------------------------------------------


async def test_every_call_is_told_as_started_and_as_ended(memory: Memory) -> None:
    def broken(arguments, job):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("oh")

    script = "call none {}\ncall odd {}\n---\nexpect odd broke: ZeroDivisionError: oh\nsay Well."
    bench = await session_on(memory, ScriptedModel.parse(script), Hand("odd", broken))
    events = await bench.ask("go")
    assert [event.call for event in of(events, ToolStarted)] == calls(bench)
    assert [event.call for event in of(events, ToolEnded)] == calls(bench)
    assert of(events, TurnEnded)[0].reason == "done"


async def test_a_denied_hand_is_not_even_asked_for_a_preview(memory: Memory) -> None:
    previewed: list[object] = []
    read = Hand("read", lambda arguments, job: "key", claim="read {path}")
    read.preview = lambda arguments: previewed.append(arguments)  # type: ignore[method-assign,return-value,assignment]
    model = ScriptedModel.parse('call read {"path": "/home/ann/.env"}\n---\nsay No.')
    bench = await session_on(memory, model, read)
    await bench.ask("go")
    assert previewed == []


async def test_an_edit_that_cannot_be_done_is_not_asked_for(memory: Memory) -> None:
    from executors.protocol import WOULD_FAIL, Details

    write = Hand("edit", lambda arguments, job: "edited", claim="write {path}")
    write.preview = lambda arguments: Details("diff", "a.py", WOULD_FAIL, "no such text in a.py")  # type: ignore[method-assign]
    model = ScriptedModel.parse(
        'call edit {"path": "/orchard/a.py"}\n---\nexpect no such text in a.py\nsay I see.'
    )
    bench = await session_on(memory, model, write)
    events = await bench.ask("go")
    assert of(events, ApprovalAsked) == []
    assert write.ran == []
    assert of(events, TurnEnded)[0].reason == "done"


async def test_a_call_that_failed_and_is_made_again_unchanged_gets_a_reminder(
    memory: Memory,
) -> None:
    script = "call none {}\n---\ncall none {}\n---\nexpect The same call failed before\nsay Well."
    bench = await session_on(memory, ScriptedModel.parse(script), Hand("look", lambda a, j: ""))
    assert of(await bench.ask("go"), TurnEnded)[0].reason == "done"


async def test_what_a_command_had_printed_before_it_was_stopped_is_kept(memory: Memory) -> None:
    async def half(arguments, job):  # type: ignore[no-untyped-def]
        job.report("1 of 9 tests\n")
        await asyncio.Event().wait()

    bench = await session_on(memory, ScriptedModel.parse("call test {}"), Hand("test", half))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolProgress)
    await bench.session.cancel()
    await turn
    assert results(bench)[0].content == "1 of 9 tests\n\n[not finished: stopped by the user]"


@pytest.mark.parametrize("nth", range(1, 6))
async def test_a_cancel_while_something_is_being_recorded_records_nothing_twice(
    memory: Memory, nth: int
) -> None:
    look = Hand("look", lambda arguments, job: "a fox")
    script = "say Let me see.\ncall look {}\n---\nsay A fox."
    bench = await session_on(memory, ScriptedModel.parse(script), look)
    talk = bench.session.talk
    record, count = memory.record, 0

    async def slow(window, **more):  # type: ignore[no-untyped-def]
        nonlocal count
        count += 1
        if count == nth:
            asyncio.get_running_loop().call_soon(bench.session._turn.cancel)  # type: ignore[union-attr]
        return await record(window, **more)

    talk.mind.record = slow  # type: ignore[method-assign]
    await bench.session.prompt("what is there?")
    texts = [message_from_json(entry.body).text for entry in talk.window.entries]
    assert len([text for text in texts if "Let me see." in text]) <= 1
    assert [result.call_id for result in results(bench)] == calls(bench)
    roles = [entry.role for entry in talk.window.entries]
    assert "tool" not in roles or roles[roles.index("tool") - 1] == "assistant"


async def test_two_prompts_at_one_moment_are_one_turn_and_a_steering(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say one.\n---\nsay two."))
    ends = await asyncio.gather(bench.session.prompt("first"), bench.session.prompt("second"))
    assert {end.turn for end in ends} == {1}
    assert [event.text for event in of(bench.drain(), Steered)] == ["second"]


async def test_memories_of_earlier_runs_are_embedded_while_a_slow_model_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from growbox_tui.agent import session as module
    from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder

    monkeypatch.setattr(module, "PATIENCE", 0.0)
    memory = await Memory.open(tmp_path / "memory.db", embedder=NgramEmbedder())
    await memory.remember(NewNode("user", "we use pnpm"))
    bench = await session_on(memory, ScriptedModel.parse("hang"))
    turn = asyncio.create_task(bench.session.prompt("hello"))
    async with asyncio.timeout(FOR_EVER):
        while not (await memory.state()).embedded:
            await asyncio.sleep(0.01)
    await bench.session.cancel()
    await turn
    await memory.close()


async def test_words_sent_while_a_command_of_ones_own_runs_are_a_turn_after_it(
    memory: Memory,
) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "built"

    model = ScriptedModel.parse("expect built\nsay It is built.")
    bench = await session_on(memory, model, Hand("shell", wait, claim="shell {command}"))
    shell = asyncio.create_task(bench.session.run_shell("make"))
    await bench.until(ToolStarted)
    turn = asyncio.create_task(bench.session.prompt("is it built?"))
    await asyncio.sleep(0)
    release.set()
    await shell
    assert (await turn).reason == "done"
    assert [end.turn for end in of([*bench.events, *bench.drain()], TurnEnded)] == [1, 2]


async def test_a_stopped_command_of_ones_own_is_told_as_ended(memory: Memory) -> None:
    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        job.report("halfway\n")
        await asyncio.Event().wait()

    bench = await session_on(
        memory, ScriptedModel.parse("say ok"), Hand("shell", wait, claim="shell {command}")
    )
    shell = asyncio.create_task(bench.session.run_shell("make"))
    await bench.until(ToolProgress)
    await bench.session.cancel()
    await shell
    events = bench.drain()
    assert "halfway" in of(events, ToolEnded)[0].detail.body
    assert of(events, TurnEnded)[0].reason == "cancelled"


# ---- stops, faults and changes in the middle of things --------------------------------------


async def test_a_second_stop_does_not_cut_off_what_the_first_one_mends(memory: Memory) -> None:
    async def sleep(arguments, job):  # type: ignore[no-untyped-def]
        await asyncio.Event().wait()

    bench = await session_on(memory, ScriptedModel.parse("call nap {}"), Hand("nap", sleep))
    turn = asyncio.create_task(bench.session.prompt("go"))
    await bench.until(ToolStarted)
    await asyncio.gather(bench.session.cancel(), bench.session.cancel(), bench.session.cancel())
    assert (await turn).reason == "cancelled"
    assert [result.call_id for result in results(bench)] == calls(bench)
    assert [end.reason for end in of(bench.drain(), TurnEnded)] == ["cancelled"]


async def test_a_fault_of_our_own_ends_the_turn_and_not_the_session(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say one\n---\nsay two"))
    find = memory.recall

    async def broken(query):  # type: ignore[no-untyped-def]
        raise ZeroDivisionError("oh")

    memory.recall = broken  # type: ignore[method-assign]
    events = await bench.ask("first")
    assert of(events, Failed)[0].kind == "ZeroDivisionError"
    assert of(events, TurnEnded)[0].reason == "failed"
    memory.recall = find  # type: ignore[method-assign]
    assert of(await bench.ask("second"), TurnEnded)[0].reason == "done"
    assert "first" in str(bench.model.requests[-1].messages)


async def test_a_model_that_was_chosen_is_the_conversations_from_then_on(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say one"))
    await bench.ask("hello")
    await bench.session.use_model("openai/other")
    info = await memory.session(bench.session.id)
    assert info is not None
    assert info.model == "openai/other"


async def test_a_change_of_model_tells_the_users_window_where_it_is_the_smaller(
    memory: Memory,
) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say one"))
    talk = bench.session.talk
    talk.wanted = Wanted(window=6_000)
    await bench.session.use_model("openai/other")
    told = of(bench.drain(), ModelChanged)
    assert [event.window for event in told] == [6_000]
    talk.learned = Learned(context=4_000)
    assert talk.limit == 4_000
    talk.wanted = Wanted(window=None)
    assert talk.limit == 4_000


async def test_a_nap_asked_for_during_a_command_comes_when_it_has_ended(memory: Memory) -> None:
    release = asyncio.Event()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await release.wait()
        return "built"

    bench = await session_on(
        memory, ScriptedModel.parse("say ok"), Hand("shell", wait, claim="shell {command}")
    )
    shell = asyncio.create_task(bench.session.run_shell("make"))
    await bench.until(ToolStarted)
    await bench.session.nap()
    release.set()
    await shell
    assert of(bench.drain(), Napped)


async def test_words_sent_during_a_nap_are_a_turn_after_it(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say one\n---\nsay two"))
    await bench.ask("about foxes")
    nap = asyncio.create_task(bench.session.nap())
    await asyncio.sleep(0)
    await bench.session.prompt("and now?")
    await nap
    kinds = [type(event) for event in bench.drain()]
    assert kinds.index(Napped) < kinds.index(TurnStarted)
    assert "foxes" not in str(bench.model.requests[-1].messages)


async def test_a_long_output_of_ones_own_command_is_trimmed_and_kept_whole(memory: Memory) -> None:
    whole = "\n".join(f"line {n}" for n in range(9_000))
    shell = Hand("shell", lambda arguments, job: whole, claim="shell {command}")
    model = ScriptedModel.parse("expect line 8999\nsay ok")
    bench = await session_on(memory, model, shell)
    await bench.session.run_shell("seq")
    address = of(bench.drain(), ToolEnded)[0].address
    node = await memory.refer(address)
    assert node is not None
    assert whole in node.text
    await bench.ask("what is the last line?")
    assert address in str(model.requests[0].messages)


async def test_what_the_screen_is_given_of_a_huge_result_is_bounded(memory: Memory) -> None:
    from growbox_tui.agent.dispatch import BODY_CHARS

    look = Hand("look", lambda arguments, job: "x" * 500_000)
    bench = await session_on(memory, ScriptedModel.parse("call look {}\n---\nsay ok"), look)
    body = of(await bench.ask("go"), ToolEnded)[0].detail.body
    assert len(body) < BODY_CHARS + 100


async def test_what_was_allowed_for_always_can_be_taken_back(memory: Memory) -> None:
    shell = Hand("shell", lambda arguments, job: "ok", claim="shell {command}")
    one = 'call shell {"command": "ls"}'
    model = ScriptedModel.parse(f"{one}\n---\nsay a\n---\n{one}\n---\nsay b")
    bench = await session_on(memory, model, shell)
    turn = asyncio.create_task(bench.session.prompt("first"))
    asked = await bench.until(ApprovalAsked)
    assert isinstance(asked, ApprovalAsked)
    bench.session.answer(asked.ask, "always")
    await turn
    assert await bench.session.grants() == ["ls"]
    await bench.session.forget_grants()
    assert await bench.session.grants() == []
    turn = asyncio.create_task(bench.session.prompt("second"))
    assert await bench.until(ApprovalAsked)
    await bench.session.cancel()
    await turn


async def test_what_was_asked_for_in_a_turn_never_runs_beside_the_next_one(memory: Memory) -> None:
    class Slow(ScriptedModel):
        async def close(self) -> None:
            closing.set()
            await let_go.wait()

    async def wait(arguments, job):  # type: ignore[no-untyped-def]
        await releases[len(hand.ran) - 1].wait()
        return "looked"

    closing, let_go, releases = asyncio.Event(), asyncio.Event(), [asyncio.Event() for _ in "ab"]
    hand = Hand("look", wait)
    bench = await session_on(memory, Slow.parse("call look {}\n---\nsay x"), hand)
    other = ScriptedModel.parse("say One.\n---\ncall look {}\n---\nsay Two.")

    async def open_model(name: str) -> ScriptedModel:
        return other

    bench.session._voices._open = open_model
    first = asyncio.create_task(bench.session.prompt("one"))
    await bench.until(ToolStarted)
    await bench.session.use_model("other")
    await bench.session.nap()
    releases[0].set()
    await closing.wait()
    second = asyncio.create_task(bench.session.prompt("two"))
    await bench.until(ToolStarted)
    let_go.set()
    await first
    assert of([*bench.events, *bench.drain()], Napped) == []
    releases[1].set()
    await second
    assert [part.content for part in other.requests[-1].messages[-1].parts] == ["looked"]
    assert len(of(bench.drain(), Napped)) == 1
