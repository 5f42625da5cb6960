from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from growbox_tui.screens.memory import MapVerbs, MemoryScreen
from growbox_tui.screens.pointer import pointer_page
from growbox_tui.widgets.map_rows import learned
from growbox_tui.widgets.timeline_strip import SIGNS, fold, legend, strip, total
from growbox_tui.widgets.window_rows import file_section, hits_section, window_section
from memory.recall.overview import Bucket, MemoryMap, Spot
from tests.tui import maps as m
from tests.tui.fake_session import until
from tests.tui.specimens import HITS, ITEMS, NOW, STATE, Specimen, rows, shown


class Learned:
    """What the page asks; a jump that was taken back is gone at the next reading."""

    def __init__(self, known: MemoryMap, failure: Exception | None = None) -> None:
        self.known = known
        self.failure = failure
        self.undone: list[int] = []

    async def read(self) -> MemoryMap:
        return self.known

    async def undo(self, number: int) -> None:
        if self.failure is not None:
            raise self.failure
        self.undone.append(number)
        left = tuple(jump for jump in self.known.jumps if jump.id != number)
        self.known = replace(self.known, jumps=left)


async def opened(
    pilot: Any, known: MemoryMap | None = m.MAP, failure: Exception | None = None
) -> Learned:
    learned = Learned(known or MemoryMap(), failure)
    verbs = MapVerbs(learned.read, learned.undo) if known is not None else None
    await pilot.app.push_screen(MemoryScreen(STATE, ITEMS, HITS, known, verbs))
    first = "In the window" if known is None else "Pointers"
    await until(pilot, lambda: first in shown(pilot.app))
    await pilot.pause()
    return learned


def on(size: tuple[int, int] = (80, 24)) -> Any:
    return Specimen().run_test(size=size)


# ---- the strip -------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 7, 40, 78, 100, 101, 260])
def test_the_strip_fills_its_width_and_loses_no_memory(cells: int) -> None:
    folded = fold(m.BUCKETS, cells)
    assert len(folded) == cells
    assert cell_len(strip(m.BUCKETS, cells).plain) == cells
    if cells <= len(m.BUCKETS):
        whole = total(m.BUCKETS)
        for state in SIGNS:
            assert sum(part.of(state) for part in folded) == whole.of(state)


def test_a_short_timeline_is_stretched_over_the_strip() -> None:
    deep, bare = Bucket(1, 1, 0, 1, 1, 0, 0), Bucket(2, 2, 0, 1, 0, 0, 0)
    assert strip([deep, bare], 6).plain == "⣿⣿⣿⣀⣀⣀"


def test_where_as_much_was_read_as_was_not_the_strip_shows_that_it_was_not() -> None:
    assert strip([Bucket(1, 4, 0, 4, 2, 0, 0)], 1).plain == "⣀"
    assert strip([Bucket(1, 4, 0, 4, 2, 0, 2)], 1).plain == "⠛"


def test_each_state_can_be_told_without_colour() -> None:
    assert len({sign for sign, _ in SIGNS.values()}) == len(SIGNS)


def test_the_legend_gives_each_state_its_share() -> None:
    text = legend([Bucket(1, 100, 0, 100, 41, 8, 3)], 100).plain
    assert "read 41 %" in text and "passed 8 %" in text
    assert "not read 48 %" in text and "owed 3 %" in text


def test_an_empty_memory_has_a_sentence_for_a_strip() -> None:
    assert "Nothing is remembered yet" in strip((), 78).plain


# ---- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [40, 58, 77, 110, 197])
def test_no_row_and_nothing_told_of_it_outgrows_its_width(cells: int) -> None:
    sections = [
        *learned(m.MAP, NOW),
        window_section(ITEMS, NOW),
        hits_section((*HITS, *m.SURE), NOW),
        file_section(STATE),
    ]
    for row in (row for section in sections for row in section.rows):
        assert row.draw(cells).cell_length <= cells
        assert all(line.cell_length <= cells for line in row.tell(cells))


def test_the_marked_memory_is_told_with_its_whole_address() -> None:
    sections = (window_section(ITEMS, NOW), hits_section(HITS, NOW))
    told = ["\n".join(line.plain for line in r.tell(77)) for s in sections for r in s.rows]
    for memory in (*ITEMS, *HITS):
        assert any(memory.address in text for text in told)


def test_what_is_empty_is_said_in_words() -> None:
    words = " ".join(
        section.figure
        for section in (
            *learned(MemoryMap(), NOW),
            window_section((), NOW),
            hits_section((), NOW),
            file_section(None),
        )
    )
    assert "none yet; a question that came to something makes the first" in words
    assert "nothing remembered stands before the model yet" in words
    assert "nothing recalled yet" in words and "not open yet" in words


def test_pointers_that_are_not_listed_are_counted() -> None:
    pointers = learned(m.MAP, NOW)[0]
    assert "the first 4 of 412" in pointers.figure
    assert "17 thrown out" in pointers.figure


def test_words_that_would_steer_the_terminal_stay_words() -> None:
    bad = Spot("x", 0, "\x1b[2Jgone\u202e")
    view = replace(
        m.MAP.pointers[0], target=bad, keys=(m.key("\x1b]0;owned\x07why", True, 1, 1, 0),)
    )
    text = pointer_page(view, NOW, 78).plain
    row = learned(MemoryMap(pointers=(view,)), NOW)[0].rows[0]
    assert not set(text + row.draw(78).plain) & {"\x1b", "\x07", "\u202e"}


# ---- the page --------------------------------------------------------------------------------


async def test_the_map_shows_strip_pointers_jumps_anchors_debts_and_the_window() -> None:
    async with on((120, 60)) as pilot:
        await opened(pilot)
        text = shown(pilot.app)
        for words in ("not read", "Pointers", "Jumps", "Anchors", "Debts", "In the window"):
            assert words in text
        assert "12,431 memories in 87 conversations" in text


async def test_tab_goes_from_section_to_section_and_round() -> None:
    async with on() as pilot:
        await opened(pilot)
        marks: list[str] = []
        for _ in range(8):
            marked = pilot.app.screen.query_one("SectionList").marked  # type: ignore[attr-defined]
            marks.append(marked.key.partition(":")[0])
            await pilot.press("tab")
        assert marks == ["pointer", "jump", "anchor", "debt", "item", "hit", "file", "pointer"]


async def test_enter_opens_a_pointer_with_the_questions_that_lead_and_that_mislead() -> None:
    async with on() as pilot:
        await opened(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "Misleads" in shown(pilot.app))
        text = shown(pilot.app)
        assert "剪枝任务为什么会跳过枝节点" in text
        assert "why does the test job skip slow tests?" in text.partition("Misleads")[2]
        assert "7/9 confirmed" in text
        await pilot.press("escape")
        await until(pilot, lambda: "Pointers" in shown(pilot.app))


async def test_u_takes_the_marked_jump_back_and_the_mark_goes_to_the_next() -> None:
    async with on() as pilot:
        learned = await opened(pilot)
        await pilot.press("tab", "u")
        await until(pilot, lambda: "Taken back: the jump to decision: prune" in shown(pilot.app))
        assert learned.undone == [3]
        assert "as we said" not in shown(pilot.app)
        await pilot.press("u")
        await until(pilot, lambda: "Jumps ⋅ none" in shown(pilot.app))
        assert learned.undone == [3, 2]


async def test_u_does_nothing_but_on_a_jump_and_the_key_line_says_where_it_works() -> None:
    async with on() as pilot:
        learned = await opened(pilot)
        assert "u Undo" not in rows(pilot.app)[-1] and "Keys" in rows(pilot.app)[-1]
        await pilot.press("u")
        assert learned.undone == []
        await pilot.press("tab")
        await until(pilot, lambda: "u Undo" in rows(pilot.app)[-1])


@pytest.mark.parametrize(
    ("failure", "words"),
    [(LookupError("there is no jump 3"), "no more"), (OSError("disk full"), "disk full")],
)
async def test_a_jump_that_cannot_be_taken_back_is_told_of(failure: Exception, words: str) -> None:
    async with on() as pilot:
        await opened(pilot, failure=failure)
        await pilot.press("tab", "u")
        await until(pilot, lambda: words in shown(pilot.app))


async def test_without_a_session_the_page_shows_window_and_file_alone() -> None:
    async with on() as pilot:
        await opened(pilot, None)
        text = shown(pilot.app)
        assert "In the window" in text and "Pointers" not in text and "not read" not in text


async def test_the_page_is_laid_out_again_when_the_terminal_changes() -> None:
    async with on() as pilot:
        await opened(pilot)
        narrow = shown(pilot.app)
        await pilot.resize_terminal(200, 50)
        await until(pilot, lambda: m.LATE.label[:60] in shown(pilot.app))
        assert all(cell_len(row) == 200 for row in rows(pilot.app))
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: shown(pilot.app) == narrow)
