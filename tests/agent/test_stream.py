from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.events import (
    Event,
    MessageEnded,
    Notice,
    TextDelta,
    ThinkingDelta,
    ToolProgress,
)
from growbox_tui.agent.stream import MERGE_LIMIT, EventStream


async def collect(stream: EventStream, events: list[Event]) -> list[Event]:
    reader = stream.reader()
    for event in events:
        stream.publish(event)
    stream.close()
    return [event async for event in reader]


async def test_neighbouring_deltas_merge_for_a_slow_reader() -> None:
    got = await collect(EventStream(), [TextDelta("a"), TextDelta("b"), ThinkingDelta("c")])
    assert got == [TextDelta("ab"), ThinkingDelta("c")]


async def test_ends_are_never_merged_or_dropped() -> None:
    ends: list[Event] = [MessageEnded("", "x", "end")] * 3
    assert await collect(EventStream(), ends) == ends


async def test_progress_of_two_calls_stays_apart() -> None:
    events: list[Event] = [ToolProgress("1", "a"), ToolProgress("2", "b"), ToolProgress("2", "c")]
    assert await collect(EventStream(), events) == [ToolProgress("1", "a"), ToolProgress("2", "bc")]


async def test_every_reader_hears_everything_whatever_the_others_do() -> None:
    stream = EventStream()
    slow, quick, gone = stream.reader(), stream.reader(), stream.reader()
    stream.forget(gone)
    for number in range(3):
        stream.publish(Notice("info", str(number)))
    stream.close()
    heard = [[event async for event in reader] for reader in (quick, slow, gone)]
    assert [len(events) for events in heard] == [3, 3, 0]


async def test_a_waiting_reader_wakes_when_something_happens() -> None:
    stream = EventStream()
    reader = stream.reader()

    async def first() -> Event:
        async for event in reader:
            return event
        raise AssertionError("closed")

    waiting = asyncio.create_task(first())
    await asyncio.sleep(0)
    stream.publish(TextDelta("now"))
    assert await waiting == TextDelta("now")


@given(st.lists(st.text(max_size=5), max_size=30))
def test_merging_loses_no_character(pieces: list[str]) -> None:
    got = asyncio.run(collect(EventStream(), [TextDelta(piece) for piece in pieces]))
    assert "".join(event.text for event in got if isinstance(event, TextDelta)) == "".join(pieces)


async def test_a_merged_delta_stays_of_a_bearable_size() -> None:
    got = await collect(EventStream(), [TextDelta("x" * MERGE_LIMIT), TextDelta("y")])
    assert len(got) == 2
