from __future__ import annotations

import json

import pytest

from growbox_tui.agent.events import (
    Event,
    Failed,
    MessageEnded,
    Notice,
    PromptBuilt,
    Rebased,
    Recalled,
    Retrying,
    ToolEnded,
    TurnEnded,
    UsageReported,
    WindowChanged,
)
from growbox_tui.agent.limits import Limits
from growbox_tui.agent.messages import ToolResult, message_from_json
from growbox_tui.models.protocol import Request
from growbox_tui.models.scripted_model import ScriptedModel
from memory.memory import Memory
from memory.types import NewNode
from tests.doubles.hands import Hand, of, session_on


def sent(request: Request) -> str:
    return "\n".join([*request.tools, *request.system, *(str(m) for m in request.messages)])


def end(events: list[Event]) -> TurnEnded:
    return of(events, TurnEnded)[-1]


async def test_a_plain_answer_ends_the_turn(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say Hello there."))
    events = await bench.ask("hi")
    assert end(events).reason == "done"
    assert of(events, MessageEnded)[0].text == "Hello there."


async def test_a_message_is_on_disk_when_it_is_told(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say Hello there."))
    ended = of(await bench.ask("hi"), MessageEnded)[0]
    node = await memory.refer(ended.address)
    assert node is not None
    assert (node.role, node.text, node.session) == ("assistant", "Hello there.", bench.session.id)


async def test_calls_run_and_their_results_go_back_to_the_model(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: f"saw {arguments['what']}")
    model = ScriptedModel.parse('call look {"what": "a fox"}\n---\nexpect saw a fox\nsay A fox.')
    bench = await session_on(memory, model, look)
    events = await bench.ask("what is there?")
    assert end(events).reason == "done"
    tool = of(events, ToolEnded)[0]
    node = await memory.refer(tool.address)
    assert node is not None
    assert "saw a fox" in node.text
    assert node.kind == "look"


async def test_a_call_of_an_unknown_hand_is_answered_with_the_near_ones(memory: Memory) -> None:
    model = ScriptedModel.parse("call lok {}\n---\nexpect there is no hand lok\nsay Sorry.")
    bench = await session_on(memory, model, Hand("look", lambda a, j: ""))
    assert end(await bench.ask("go")).reason == "done"


async def test_the_second_turn_sends_the_first_ones_prompt_as_its_beginning(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "a fox")
    model = ScriptedModel.parse("call look {}\n---\nsay One.\n---\nsay Two.")
    bench = await session_on(memory, model, look)
    await bench.ask("first")
    events = await bench.ask("second")
    first, last = model.requests[0], model.requests[-1]
    assert last.tools == first.tools
    assert last.system == first.system
    assert last.messages[: len(model.requests[1].messages)] == model.requests[1].messages
    built = of(events, PromptBuilt)[0]
    assert built.cause == ""
    assert {segment.state for segment in built.segments} == {"hit", "new"}


async def test_a_resumed_session_sends_the_prefix_that_it_sent_before(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "a fox — 狐狸\t\\ \u2028")
    model = ScriptedModel.parse("call look {}\n---\nthink hm\nsay One.")
    bench = await session_on(memory, model, look)
    await bench.ask("first @a.py")
    before = model.requests[-1]
    await bench.session.close()

    again = ScriptedModel.parse("say Two.")
    resumed = await session_on(memory, again, look, session=bench.session.id)
    await resumed.session.start()
    await resumed.ask("second")
    after = again.requests[0]
    assert after.tools == before.tools
    assert after.system == before.system
    assert after.messages[: len(before.messages)] == before.messages


async def test_what_is_remembered_is_placed_once_and_stays(memory: Memory) -> None:
    await memory.remember(
        NewNode("user", "the pruning job skips branch nodes on purpose", project="/orchard")
    )
    model = ScriptedModel.parse("say Because.\n---\nsay As said.")
    bench = await session_on(memory, model)
    first = await bench.ask("why does the pruning job skip branch nodes?")
    second = await bench.ask("the pruning job skips branch nodes, really?")
    placed = [hit.placed for event in of(first, Recalled) for hit in event.hits]
    assert placed == [True]
    old = [hit for event in of(second, Recalled) for hit in event.hits if "purpose" in hit.text]
    assert [hit.placed for hit in old] == [False]
    assert sent(model.requests[1]).count("skips branch nodes on purpose") == 1
    assert "skips branch nodes on purpose" in sent(model.requests[0])
    assert of(second, WindowChanged)[-1].items[0].label.startswith("the pruning job")


async def test_mentioned_files_are_in_the_request(memory: Memory) -> None:
    model = ScriptedModel.parse("say A list.")
    bench = await session_on(memory, model, files={"README.md": "# orchard\nTrees."})
    events = await bench.ask("What is this project? @README.md and @gone.md")
    assert "# orchard\\nTrees." in sent(model.requests[0])
    assert "gone.md" in of(events, Notice)[0].text


async def test_a_long_result_is_trimmed_for_the_model_and_kept_whole(memory: Memory) -> None:
    whole = "\n".join(f"line {n}" for n in range(5_000))
    look = Hand("look", lambda arguments, job: whole)
    model = ScriptedModel.parse("call look {}\n---\nsay Long.")
    bench = await session_on(memory, model, look, limits=Limits(result_chars=2_000))
    events = await bench.ask("look")
    address = of(events, ToolEnded)[0].address
    result = model.requests[1].messages[-1].parts[0]
    assert isinstance(result, ToolResult)
    assert len(result.content) <= 2_000
    assert address in result.content
    node = await memory.refer(address)
    assert node is not None
    assert whole in node.text


async def test_a_broken_call_is_never_run(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "ran")
    model = BrokenCalls()
    bench = await session_on(memory, model, look)
    events = await bench.ask("go")
    assert look.ran == []
    assert end(events).reason == "failed"
    assert len(model.requests) == 3


class BrokenCalls:
    """A voice whose every call is cut."""

    name = "double/broken"
    takes_tools = True

    def __init__(self) -> None:
        from growbox_tui.models.protocol import ModelFacts

        self.facts = ModelFacts()
        self.requests: list[Request] = []

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        from growbox_tui.agent.messages import Message, ToolCall
        from growbox_tui.models.protocol import Reply

        self.requests.append(request)
        call = f"c{len(self.requests)}"
        message = Message("assistant", (ToolCall(call, "look", "{}"),))
        yield Reply(message, "length", None, {call: "the arguments were cut"})

    async def close(self) -> None:
        pass


async def test_a_reply_cut_for_length_is_kept_and_going_on_is_offered(memory: Memory) -> None:
    model = ScriptedModel.parse("say The first half\nstop length\n---\nsay and the second.")
    bench = await session_on(memory, model)
    events = await bench.ask("tell me")
    assert end(events).reason == "length"
    assert any("/continue" in notice.text for notice in of(events, Notice))
    assert of(events, MessageEnded)[0].text == "The first half"
    before = model.requests[0].messages
    await bench.ask("continue")
    assert model.requests[1].messages[: len(before)] == before
    assert "The first half" in sent(model.requests[1])


async def test_an_overloaded_provider_is_tried_again(memory: Memory) -> None:
    model = ScriptedModel.parse("fail overloaded after=0 busy\n---\nsay Fine.")
    bench = await session_on(memory, model)
    events = await bench.ask("hi")
    assert [event.shown for event in of(events, Retrying)] == [False]
    assert end(events).reason == "done"


async def test_a_reply_that_broke_midway_is_marked_and_asked_for_anew(memory: Memory) -> None:
    model = ScriptedModel.parse("say half a\nfail cutstream after=0 gone\n---\nsay whole.")
    bench = await session_on(memory, model)
    events = await bench.ask("hi")
    assert [event.shown for event in of(events, Retrying)] == [True]
    assert [event.text for event in of(events, MessageEnded)] == ["whole."]
    assert "half a" not in sent(model.requests[1])


async def test_a_wrong_key_fails_the_turn_with_what_to_do(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("fail unauthorised no such key"))
    events = await bench.ask("hi")
    assert of(events, Failed)[0].kind == "Unauthorised"
    assert end(events).reason == "failed"


async def test_a_failed_turn_keeps_the_users_words_and_the_next_one_works(memory: Memory) -> None:
    model = ScriptedModel.parse("fail unauthorised no such key\n---\nsay Here.")
    bench = await session_on(memory, model)
    await bench.ask("first words")
    await bench.ask("second words")
    assert "first words" in sent(model.requests[1])


async def test_a_full_window_begins_a_new_epoch_and_keeps_the_newest(memory: Memory) -> None:
    script = "facts context=4000\n" + "\n---\n".join(f"say {'word ' * 200}{n}" for n in range(12))
    model = ScriptedModel.parse(script)
    bench = await session_on(memory, model)
    for number in range(12):
        events = await bench.ask(f"question {number}")
        built = of(events, PromptBuilt)[-1]
        assert built.total < 4_000
    rebased = of(bench.events, Rebased)
    assert rebased
    assert all("outgrew" in event.why and event.after < event.before for event in rebased)
    assert "question 11" in sent(model.requests[-1])


async def test_a_prompt_that_is_too_long_after_all_is_shortened(memory: Memory) -> None:
    model = ScriptedModel.parse("say a\n---\nfail toolong 9000 tokens are too many.\n---\nsay b")
    bench = await session_on(memory, model)
    await bench.ask(f"first {'word ' * 900}")
    events = await bench.ask("second")
    assert end(events).reason == "done"
    assert of(events, Rebased)
    assert sent(model.requests[-1]).count("word") < 900
    assert "second" in sent(model.requests[-1])


async def test_a_servers_own_limit_is_learned_for_this_and_later_sessions(memory: Memory) -> None:
    model = SmallServer(3_000)
    bench = await session_on(memory, model)
    for number in range(30):
        events = await bench.ask(f"question {number} {'word ' * 200}")
        assert end(events).reason == "done"
    refused = len(model.refused)
    assert 1 <= refused <= 2
    again = await session_on(memory, model)
    for number in range(12):
        await again.ask(f"question {number} {'word ' * 200}")
    assert len(model.refused) == refused


async def test_a_limit_that_even_the_shortest_prompt_breaks_fails_with_its_words(
    memory: Memory,
) -> None:
    bench = await session_on(memory, SmallServer(10))
    events = await bench.ask("hello")
    assert of(events, Failed)[0].kind == "TooLong"
    assert end(events).reason == "failed"


class SmallServer:
    """A voice that refuses what is longer than it holds, and says how much that is."""

    name = "double/small"
    takes_tools = True

    def __init__(self, tokens: int) -> None:
        from growbox_tui.models.protocol import ModelFacts

        self.facts = ModelFacts()
        self.tokens = tokens
        self.refused: list[Request] = []

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        from growbox_tui.agent.messages import Message, Text
        from growbox_tui.models.protocol import Reply, TooLong
        from memory.tokens import estimate

        if estimate(sent(request)) > self.tokens:
            self.refused.append(request)
            raise TooLong(f"More than {self.tokens} tokens.", limit=self.tokens)
        yield Reply(Message("assistant", (Text("fine"),)), "end", None)

    async def close(self) -> None:
        pass


async def test_a_model_that_refuses_hands_is_asked_without_them_from_then_on(
    memory: Memory,
) -> None:
    script = "fail notools it does not support tools\n---\nsay Plain.\n---\nsay Again."
    model = ScriptedModel.parse(script)
    bench = await session_on(memory, model, Hand("look", lambda a, j: ""))
    assert end(await bench.ask("hi")).reason == "done"
    assert [bool(request.tools) for request in model.requests] == [True, False]
    again = ScriptedModel.parse("say Hello.")
    other = await session_on(memory, again, Hand("look", lambda a, j: ""))
    await other.ask("hi")
    assert again.requests[0].tools == ()


async def test_only_what_the_user_typed_can_mention_a_file(memory: Memory) -> None:
    model = ScriptedModel.parse("say ok")
    bench = await session_on(memory, model, files={"a.py": "typed = 1", "b.py": "piped = 1"})
    await bench.session.prompt("a diff with @b.py in it\n\nreview, see @a.py", "review, see @a.py")
    assert "typed = 1" in sent(model.requests[0])
    assert "piped = 1" not in sent(model.requests[0])


async def test_usage_is_told_as_reported_and_priced(memory: Memory) -> None:
    script = "facts input=1e-6 output=2e-6 read=1e-7\nusage input=1000 output=10 read=400\nsay x"
    bench = await session_on(memory, ScriptedModel.parse(script))
    usage = of(await bench.ask("hi"), UsageReported)[0]
    assert usage.cost == pytest.approx(600e-6 + 40e-6 + 20e-6)
    assert bench.session.cost == usage.cost


async def test_what_is_not_reported_is_told_as_such(memory: Memory) -> None:
    bench = await session_on(memory, ScriptedModel.parse("say x"))
    usage = of(await bench.ask("hi"), UsageReported)[0]
    assert (usage.input, usage.cache_read, usage.cost) == (None, None, None)
    assert usage.cause == "the provider reported no cache figures"


async def test_the_day_is_told_once_and_again_when_it_has_changed(memory: Memory) -> None:
    model = ScriptedModel.parse("say a\n---\nsay b\n---\nsay c")
    bench = await session_on(memory, model)
    await bench.ask("one")
    await bench.ask("two")
    assert sent(model.requests[1]).count("[2026-05-03; folder /orchard]") == 1
    bench.session.talk.today = lambda: "2026-05-04"
    await bench.ask("three")
    assert model.requests[2].messages[:3] == model.requests[1].messages[:3]
    assert "[2026-05-04; folder /orchard]" in sent(model.requests[2])


async def test_the_recall_hands_memories_count_as_being_in_the_window(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", "we use pnpm, never npm", project="/orchard"))
    from memory.context.render import render

    recall = Hand("recall", lambda arguments, job: render(node, 100))
    model = ScriptedModel.parse('call recall {"query": "packages"}\n---\nsay pnpm.')
    bench = await session_on(memory, model, recall)
    events = await bench.ask("hello there")
    assert bench.session.talk.window.holds(node.id)
    shown = of(events, WindowChanged)[-1].items
    assert [(item.address, item.label) for item in shown] == [
        (node.address, "we use pnpm, never npm")
    ]


async def test_every_message_of_the_conversation_is_a_node_of_the_timeline(memory: Memory) -> None:
    look = Hand("look", lambda arguments, job: "a fox")
    model = ScriptedModel.parse("say Let me see.\ncall look {}\n---\nsay A fox.")
    bench = await session_on(memory, model, look)
    await bench.ask("what is there?")
    entries = bench.session.talk.window.entries
    nodes = [await memory.refer(f"mem://{entry.node}") for entry in entries]
    assert [node.role for node in nodes if node] == ["user", "assistant", "tool", "assistant"]
    assert [json.loads(entry.body)["role"] for entry in entries] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert message_from_json(entries[1].body).calls[0].name == "look"


async def test_the_line_of_a_long_memory_that_was_asked_for_is_in_the_prompt(
    memory: Memory,
) -> None:
    lines = [f"row {number} of the log" for number in range(20_000)]
    lines[12_345] = "the walrus account was migrated to shard seven"
    await memory.remember(NewNode("tool", "\n".join(lines), project="/orchard", kind="shell"))
    model = ScriptedModel.parse("say Seven.")
    bench = await session_on(memory, model)
    await bench.ask("where was the walrus account migrated?")
    assert "migrated to shard seven" in sent(model.requests[0])


async def test_a_recalls_result_is_kept_as_addresses_and_never_as_a_copy(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", "we use pnpm, never npm", project="/orchard"))
    from memory.context.render import render

    recall = Hand("recall", lambda arguments, job: render(node, 100))
    model = ScriptedModel.parse('call recall {"query": "packages"}\n---\nsay pnpm.')
    bench = await session_on(memory, model, recall)
    events = await bench.ask("hello there")
    kept = await memory.refer(of(events, ToolEnded)[0].address)
    assert kept is not None
    assert node.address in kept.text
    assert "never npm" not in kept.text
