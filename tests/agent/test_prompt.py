from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import Message, Part, Text, Thinking, ToolCall, message_to_json
from growbox_tui.agent.prompt import lay_out
from growbox_tui.models.protocol import Mark
from memory.types import Entry, Epoch, Item

EPOCH = Epoch(1, ('{"name":"a"}', '{"name":"b"}'), ("system", "about hands", "rules"), (), 1, "")
REGION = (
    Item("n1", "first", 3, segment=1),
    Item("n2", "second", 4, segment=1),
    Item("n3", "third", 5, segment=2),
)


def entry(seq: int, turn: int, role: str, *parts: str | Part) -> Entry:
    said = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    body = message_to_json(Message(role, said))  # type: ignore[arg-type]
    return Entry(seq, turn, role, body, len(body), None, ())  # type: ignore[arg-type]


TALK = [
    entry(1, 1, "user", "first question"),
    entry(2, 1, "assistant", "first answer"),
    entry(3, 2, "user", "second question"),
]


def test_the_prompt_is_laid_out_most_stable_first() -> None:
    prompt = lay_out(replace(EPOCH, items=REGION[:1]), TALK, turn=2, with_tools=True)
    names = [block.segment for block in prompt.blocks]
    assert names == ["tools"] * 2 + ["system"] * 2 + ["rules", "region", "tail", "tail", "turn"]


def test_a_rule_that_says_what_the_system_text_says_is_a_rule_still() -> None:
    epoch = replace(EPOCH, system=("same", "about hands", "same"))
    prompt = lay_out(epoch, TALK, turn=2, with_tools=False)
    assert [block.segment for block in prompt.blocks[:2]] == ["system", "rules"]


def test_the_region_is_a_message_of_its_own_with_a_part_for_each_segment() -> None:
    prompt = lay_out(replace(EPOCH, items=REGION), TALK, turn=2, with_tools=True)
    messages = prompt.request.messages
    assert messages[0] == Message("user", (Text("first\nsecond"), Text("third")))
    assert messages[1] == Message("user", (Text("first question"),))


def test_marks_find_the_blocks_behind_which_they_stand() -> None:
    prompt = lay_out(replace(EPOCH, items=REGION), TALK, turn=2, with_tools=True)
    segments = [block.segment for block in prompt.blocks]
    assert segments.index("region") == 5
    assert prompt.position(Mark("system", 2)) == 4
    assert prompt.position(Mark("message", 0, part=0)) == 6
    assert prompt.position(Mark("message", 0)) == 7
    assert prompt.position(Mark("message", 3)) == len(segments) - 1


def test_content_blocks_are_counted_as_the_wire_has_them() -> None:
    thought = Thinking("hm", "m", '{"signature":"x"}')
    call = ToolCall("c1", "look", "{}")
    talk = [
        entry(1, 1, "user", "[today]", "found", "question"),
        entry(2, 1, "assistant", thought, "words", call),
        entry(3, 1, "user", "  "),
    ]
    epoch = replace(EPOCH, items=REGION)
    of_its_own = lay_out(epoch, talk, turn=1, with_tools=True, wire="m")
    of_another = lay_out(epoch, talk, turn=1, with_tools=True, wire="n")
    assert [block.parts for block in of_its_own.blocks] == [1, 1, 1, 1, 1, 1, 0, 1, 3, 3, 1]
    assert [block.parts for block in of_another.blocks] == [1, 1, 1, 1, 1, 1, 0, 1, 3, 2, 1]
    assert [block.ends for block in of_its_own.blocks[5:8]] == [False, True, True]


def test_reasoning_that_stays_out_is_not_counted_and_makes_other_bytes() -> None:
    model = "anthropic/claude-sonnet-5-5"
    thought = Thinking("hm", model, '{"type":"thinking","thinking":"hm","signature":"x"}')
    talk = [entry(1, 1, "user", "question"), entry(2, 1, "assistant", thought, "answer")]
    own = lay_out(EPOCH, talk, turn=1, with_tools=True, wire=model).blocks[-1]
    carried = replace(EPOCH, carried=2)
    bare = lay_out(carried, talk, turn=1, with_tools=True, wire=model).blocks[-1]
    assert (own.parts, bare.parts) == (2, 1)
    assert own.content != bare.content
    assert own.makeup[0] > bare.makeup[0]
    # Earlier models take it back wherever it stands.
    older = replace(thought, wire="anthropic/claude-opus-4-8")
    kept = [talk[0], entry(2, 1, "assistant", older, "answer")]
    block = lay_out(carried, kept, turn=1, with_tools=True, wire=older.wire).blocks[-1]
    assert block.parts == 2


def test_reasoning_beside_the_words_goes_out_with_calls_only() -> None:
    thought = Thinking("long thoughts " * 9, "deepseek/v4", '{"field": "reasoning_content"}')
    call = ToolCall("c1", "look", "{}")
    for parts, count in (((thought, "done"), 1), ((thought, "so", call), 3)):
        talk = [entry(1, 1, "assistant", *parts)]
        block = lay_out(EPOCH, talk, turn=1, with_tools=True, wire="deepseek/v4").blocks[-1]
        assert block.parts == count


def test_what_was_carried_over_is_counted_with_the_region() -> None:
    assert lay_out(EPOCH, TALK, turn=2, with_tools=True).request.carried == 0
    later = replace(EPOCH, number=2, items=REGION, carried=2)
    assert lay_out(later, TALK, turn=2, with_tools=True).request.carried == 3
    assert lay_out(replace(later, items=()), TALK, turn=2, with_tools=True).request.carried == 2


def test_a_model_without_hands_is_offered_none() -> None:
    prompt = lay_out(EPOCH, TALK, turn=2, with_tools=False)
    assert prompt.request.tools == ()
    assert prompt.request.system == ("system", "rules")
    assert prompt.blocks[0].segment == "system"


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8), st.data())
def test_what_is_added_at_the_end_leaves_every_block_before_it(
    texts: list[str], data: st.DataObject
) -> None:
    talk = [entry(n, n, "user", text) for n, text in enumerate(texts, 1)]
    cut = data.draw(st.integers(0, len(talk)))
    epoch = replace(EPOCH, items=REGION)
    before = lay_out(epoch, talk[:cut], turn=1, with_tools=True)
    after = lay_out(epoch, talk, turn=len(talk), with_tools=True)
    digests = [block.digest for block in after.blocks]
    assert digests[: len(before.blocks)] == [block.digest for block in before.blocks]
    assert len(set(digests)) == len(digests)


def test_equal_words_have_one_content_wherever_they_stand() -> None:
    talk = [entry(n, 1, "user", "again") for n in (1, 2)]
    first, second = lay_out(EPOCH, talk, turn=1, with_tools=True).blocks[-2:]
    assert first.content == second.content
    assert first.digest != second.digest


def test_the_division_of_the_region_into_segments_is_part_of_the_chain() -> None:
    one = lay_out(replace(EPOCH, items=REGION), TALK, turn=2, with_tools=True)
    joined = tuple(replace(item, segment=1) for item in REGION)
    other = lay_out(replace(EPOCH, items=joined), TALK, turn=2, with_tools=True)
    assert one.blocks[6].digest == other.blocks[6].digest
    assert one.blocks[7].digest != other.blocks[7].digest


def test_a_reply_is_foretold_as_the_block_that_it_becomes() -> None:
    prompt = lay_out(EPOCH, TALK[:1], turn=1, with_tools=True)
    reply = Message("assistant", (Text("first answer"),))
    after = lay_out(EPOCH, TALK[:2], turn=1, with_tools=True)
    assert prompt.reply(reply).digest == after.blocks[-1].digest
    assert prompt.reply(reply).content == after.blocks[-1].content


PROCESS = """
from tests.agent.test_prompt import EPOCH, REGION, TALK
from dataclasses import replace
from growbox_tui.agent.prompt import lay_out
prompt = lay_out(replace(EPOCH, items=REGION), TALK, turn=2, with_tools=True)
print([block.digest for block in prompt.blocks], prompt.request)
"""


def test_the_same_rows_give_the_same_bytes_in_every_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", PROCESS],
            env={"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "COLUMNS": columns},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone, locale, columns in (
            ("1", "UTC", "C", "80"),
            ("2", "Asia/Shanghai", "C.UTF-8", "200"),
        )
    }
    assert len(told) == 1
