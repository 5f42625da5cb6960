"""What the user asks of memory itself, on a real memory file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from growbox_tui.agent.events import Notice, Recalled, StepView
from growbox_tui.agent.recall_view import VIEW_CHARS, excerpt
from growbox_tui.models.scripted_model import ScriptedModel
from memory import Memory
from memory.recollection import Candidate, Judgement
from memory.types import NewNode
from tests.doubles.embedding import SetClock
from tests.doubles.hands import Bench, of, session_on

VALVE = "the boiler valve opens at nine bar"
PRESS = "the press was greased with tallow"


@dataclass
class WordJudge:
    """Says yes to what holds a word."""

    word: str
    stamp: str = "word-1"
    able: bool = True
    window: int = 2_000
    calls: list[int] = field(default_factory=list)

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        self.calls.append(len(candidates))
        answers = {each.id: "yes" if self.word in each.text else "no" for each in candidates}
        return Judgement(answers, tokens=10 * len(candidates))  # type: ignore[arg-type]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    for text in (VALVE, PRESS, "lunch was late"):
        await memory.remember(NewNode("user", text))
    yield memory
    await memory.close()


async def on(memory: Memory) -> Bench:
    return await session_on(memory, ScriptedModel.parse("say ok\nsay ok\nsay ok"))


async def test_each_step_is_told_of_as_it_is_climbed_and_stands_in_the_answer(
    memory: Memory,
) -> None:
    bench, told = await on(memory), list[StepView]()
    found = await bench.session.recall_steps("the boiler valve", told=told.append)
    assert [step.rung for step in told] == [step.rung for step in found.steps]
    assert told[0].rung == "jumps"
    assert found.occasion == "asked" and found.recollection
    assert VALVE in [hit.text for hit in found.hits]
    await bench.session.close()


async def test_without_a_judge_an_answer_says_what_is_unread_and_for_what_price(
    memory: Memory,
) -> None:
    bench = await on(memory)
    found = await bench.session.recall_steps("the boiler valve", exhaustive=True)
    assert not found.complete
    assert found.unread and found.price is not None and found.price.calls
    await bench.session.close()


async def test_reading_everything_finds_what_no_word_leads_to(memory: Memory) -> None:
    judge = WordJudge("tallow")
    memory.use_judge(judge)
    bench = await on(memory)
    found = await bench.session.recall_steps("润滑油？", exhaustive=True)
    assert found.complete and not found.unread
    (hit,) = [hit for hit in found.hits if hit.confirmed]
    assert (hit.text, hit.rung) == (PRESS, "reading")
    assert sum(step.calls for step in found.steps) == len(judge.calls) > 0
    await bench.session.close()


async def test_a_look_up_changes_nothing_of_the_prompt(memory: Memory) -> None:
    bench = await on(memory)
    await bench.ask("What of lunch?")
    before = bench.session.talk.window.tokens
    await bench.session.recall_steps("the boiler valve", deeper=True)
    assert bench.session.talk.window.tokens == before
    assert of(bench.drain(), Recalled) == []
    await bench.session.close()


async def test_why_tells_of_the_last_recall_of_this_conversation(memory: Memory) -> None:
    bench = await on(memory)
    assert await bench.session.why() is None
    (told,) = of(await bench.ask("Where does the boiler valve open?"), Recalled)
    event = await bench.session.why()
    assert event is not None
    assert (event.query, event.recollection) == (told.query, told.recollection)
    assert [hit.address for hit in event.hits] == [hit.address for hit in told.hits]
    assert event.steps == told.steps
    await bench.session.close()


async def test_what_was_called_wrong_is_kept_out_and_what_is_found_goes_with_the_next_words(
    memory: Memory,
) -> None:
    bench = await on(memory)
    (told,) = of(await bench.ask("Where does the boiler valve open?"), Recalled)
    assert VALVE in [hit.text for hit in told.hits]
    memory.use_judge(WordJudge("tallow"))
    event = await bench.session.wrong(told.recollection)
    happened = bench.drain()
    assert of(happened, Recalled) == [event] and event.occasion == "wrong"
    assert "Learned" in of(happened, Notice)[0].text
    assert [hit.text for hit in event.hits if hit.confirmed] == [PRESS]
    assert VALVE not in [hit.text for hit in event.hits]
    await bench.ask("And now?")
    assert PRESS in "".join(entry.body for entry in bench.session.talk.window.entries)
    await bench.session.close()


async def test_what_is_called_wrong_on_a_page_is_not_told_of_in_the_conversation(
    memory: Memory,
) -> None:
    bench = await on(memory)
    found = await bench.session.recall_steps("the boiler valve")
    wrong = next(hit for hit in found.hits if hit.text == VALVE)
    event = await bench.session.wrong(found.recollection, [wrong.address], aloud=False)
    assert bench.drain() == [] and bench.session.talk.waiting == ()
    assert wrong.address not in [hit.address for hit in event.hits]
    await bench.session.close()


async def test_a_recall_that_is_not_on_file_cannot_be_called_wrong(memory: Memory) -> None:
    bench = await on(memory)
    with pytest.raises(LookupError):
        await bench.session.wrong(4_711)
    await bench.session.close()


async def test_the_map_shows_what_was_learned_and_a_jump_can_be_taken_back(memory: Memory) -> None:
    bench = await on(memory)
    await bench.ask("What of lunch?")
    node = await memory.remember(NewNode("user", "the key is under the mat"))
    await bench.session.pin(node.address)
    known = await bench.session.map()
    (jump,) = known.jumps
    assert jump.target.id == node.id
    assert sum(bucket.nodes for bucket in known.buckets) == (await memory.state()).nodes
    await bench.session.undo_jump(jump.id)
    assert (await bench.session.map()).jumps == ()
    with pytest.raises(LookupError):
        await bench.session.undo_jump(jump.id)
    await bench.session.close()


@pytest.mark.parametrize(
    "piece", [None, (0, 50), (300, VIEW_CHARS), (5_000, 5_400), (9_990, 10_000)]
)
def test_what_is_shown_of_a_long_memory_holds_the_beginning_of_the_piece(
    piece: tuple[int, int] | None,
) -> None:
    text = "".join(f"{at:06d}" for at in range(2_000))[:10_000]
    shown = excerpt(text, piece)
    start = piece[0] if piece else 0
    assert text[start : start + 10] in shown
    assert len(shown) <= VIEW_CHARS + 1
