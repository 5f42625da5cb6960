"""A conversation that grows turn by turn, and its requests as a ledger would mark them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult
from growbox_tui.models.cache_marks import Stop, place
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import Request

TOOL = '{"description":"Reads.","name":"read","parameters":{"type":"object"}}'


@dataclass(frozen=True)
class Step:
    request: Request
    flushed: bool
    """Whether an epoch began with it."""


def user(*texts: str) -> Message:
    return Message("user", tuple(Text(text) for text in texts))


def stops_of(system: tuple[str, ...], messages: tuple[Message, ...], segments: int) -> list[Stop]:
    """The stops of a prompt whose first message is a region of so many segments, or of none."""
    stops = [Stop("system", at) for at in range(len(system))]
    for at, message in enumerate(messages):
        if at == 0 and segments:
            stops += [Stop("message", 0, part=part, region=True) for part in range(segments)]
        else:
            mine = message.role != "assistant"
            stops.append(Stop("message", at, blocks=len(message.parts), markable=mine))
    return stops


def growing(rules: CacheRules, wire: str, opaque: str, turns: int = 40) -> Iterator[Step]:
    """Turns of one to four calls each; every eleventh a flush makes the tail into a segment."""
    system, segments, carried = ("You are brief.", "Rules."), 0, 0
    region: list[str] = []
    tail: list[Message] = []
    before: Stop | None = None
    for turn in range(turns):
        flushed = turn % 11 == 10
        if flushed:
            region.append(f"segment {len(region)}")
            newest = max(at for at, message in enumerate(tail) if message.role == "user")
            tail, segments, before = tail[newest:], len(region), None
            carried = 1 + len(tail)
        tail.append(user(f"ask {turn}", "a memory") if turn % 3 == 0 else user(f"ask {turn}"))
        for _ in range(2):
            messages = (*([user(*region)] if region else []), *tail)
            stops = stops_of(system, messages, segments)
            previous = stops.index(before) if before in stops else None
            marks = place(stops, rules, previous=previous)
            yield Step(Request((TOOL,), system, messages, "s", None, marks, carried), flushed)
            flushed = False
            before = stops[-1]
            calls = [
                ToolCall(f"t{turn}-{n}-{len(tail)}", "read", "{}") for n in range(1 + turn % 4)
            ]
            tail.append(Message("assistant", (Thinking("hm", wire, opaque), *calls)))
            tail += [Message("tool", (ToolResult(call.id, f"of {call.id}"),)) for call in calls]
        tail.append(Message("assistant", (Text(f"done {turn}"),)))


def unmarked(request: Request) -> Request:
    return replace(request, marks=())
