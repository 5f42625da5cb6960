"""A session of 2,000 turns with results of 200 KB: what each request holds, and what it costs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult
from growbox_tui.agent.pace import room
from growbox_tui.models.protocol import ModelFacts, Reply, Request, TextPiece
from memory.memory import Memory
from memory.tokens import estimate
from tests.doubles.hands import Hand, session_on

TURNS = 2_000
GIANTS = 3
"""One turn in so many calls the hand, which brings 200 KB; the others are talk."""
GIANT_CHARS = 200_000
CONTEXT = 64_000
RESERVE = 8_192
RULES = ("Always sign with RS256.", "以后都用 pnpm。", "Never edit generated files.")
PLAN = '{"steps": [{"text": "move every orchard to the new index", "state": "doing"}]}'


def size(request: Request) -> int:
    """Estimated tokens of all that is sent."""
    texts = [*request.tools, *request.system]
    return sum(map(estimate, texts)) + sum(said(message) for message in request.messages)


def said(message: Message) -> int:
    """Estimated tokens of a message's parts."""
    total = 0
    for part in message.parts:
        match part:
            case Text(text) | ToolResult(content=text) | ToolCall(arguments=text):
                total += estimate(text)
    return total


class Worker:
    """A voice that calls one hand in some turns and then answers; keeps figures, not requests."""

    name = "openai/worker"
    takes_tools = True
    facts = ModelFacts(context=CONTEXT, max_output=RESERVE)

    def __init__(self, words: Iterator[str]) -> None:
        self.words = words
        self.calls = self.turn = 0
        self.sizes: list[int] = []
        self.newest: Request | None = None

    async def stream(self, request: Request):  # type: ignore[no-untyped-def]
        self.newest = request
        self.sizes.append(size(request))
        self.calls += 1
        if request.messages[-1].role == "user" and (self.turn == 1 or self.turn % GIANTS == 0):
            name, arguments = "look", f'{{"what": "orchard {self.calls}"}}'
            if self.turn == 1:
                name, arguments = "plan", PLAN
            call = ToolCall(f"c{self.calls}", name, arguments)
            yield Reply(Message("assistant", (Text("I look."), call)), "tool_calls", None)
            return
        words = next(self.words)
        yield TextPiece(words)
        yield Reply(Message("assistant", (Text(words),)), "end", None)

    async def close(self) -> None:
        pass


def prose(seed: int) -> Iterator[str]:
    """Answers of some 120 words, all different."""
    chance = random.Random(seed)
    words = ("apple", "branch", "index", "node", "parser", "fails", "src/a.py", "果园", "索引")
    for number in itertools.count():
        body = " ".join(chance.choices(words, k=120))
        yield f"Turn {number}: {body}. So orchard {number} is moved."


def outputs() -> Iterator[str]:
    """What the hand brings: 200 KB each time."""
    for number in itertools.count(1):
        line = f"src/{number}.py:3: pruned, watered, counted, nothing to report\n"
        yield (line * (1 + GIANT_CHARS // len(line)))[:GIANT_CHARS]


async def test_two_thousand_turns_stay_within_the_window_and_lose_nothing(memory: Memory) -> None:
    brought = outputs()
    look = Hand("look", lambda arguments, job: next(brought))
    model = Worker(prose(7))
    bench = await session_on(memory, model, look, PlanHand())
    sizes: dict[int, list[int]] = {}
    for turn in range(1, TURNS + 1):
        words = f"Please look after orchard {turn}, and tell me how it is."
        if turn == 1:
            words = "Make a plan. " + " ".join(RULES)
        model.turn, before = turn, model.calls
        assert (await bench.session.prompt(words)).reason == "done"
        sizes[turn] = model.sizes[before:]
        assert model.newest is not None
        text = laid_out(model.newest)
        assert words in text, turn
        assert all(rule in text for rule in RULES), turn
        assert "move every orchard to the new index" in text, turn
        assert what_was_left_out_has_an_address(model.newest), turn
        bench.drain()
        bench.events.clear()
    assert max(model.sizes) <= min(CONTEXT - RESERVE, room(bench.session.talk))
    assert of_turns(sizes, range(1_601, 2_001)) <= 1.01 * of_turns(sizes, range(101, 501))
    everything = await full_history(memory, bench.session.id)
    assert len(everything) == len(model.sizes)
    assert sum(model.sizes) <= 0.6 * sum(everything)


async def full_history(memory: Memory, session: str) -> list[int]:
    """What each request would have been had nothing ever left it: all that was recorded before
    its reply, giants as they were trimmed for the model."""
    so_far, requests = 0, []
    for entry in await memory.transcript(session):
        if entry.role == "assistant":
            requests.append(so_far)
        so_far += entry.tokens
    return requests


def of_turns(sizes: dict[int, list[int]], turns: range) -> float:
    """Mean tokens of a call in these turns."""
    calls = [size for turn in turns for size in sizes[turn]]
    return sum(calls) / len(calls)


def laid_out(request: Request) -> str:
    """All that the model reads, as one text."""
    parts = [part for message in request.messages for part in message.parts]
    texts = [part.text if isinstance(part, Text) else "" for part in parts]
    texts += [part.arguments for part in parts if isinstance(part, ToolCall)]
    return "\n".join([*request.system, *texts])


def what_was_left_out_has_an_address(request: Request) -> bool:
    """Whether each result that is not whole names where the whole is."""
    results = [
        part.content
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolResult)
    ]
    return all("mem://" in content for content in results if "left out" in content)


class PlanHand(Hand):
    """A hand whose outcome carries a plan."""

    def __init__(self) -> None:
        super().__init__("plan", lambda arguments, job: "kept")

    async def run(self, arguments, job):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        outcome = await super().run(arguments, job)
        plan = tuple((step["text"], step["state"]) for step in arguments["steps"])
        return replace(outcome, plan=plan)
