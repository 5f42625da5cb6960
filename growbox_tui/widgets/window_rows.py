"""Window rows: what stands before the model, what was last recalled, and the memory file, as the
memory page lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from growbox_tui.widgets.figures import (
    HEAT,
    count,
    heat_rank,
    pad,
    pad_left,
    percent,
    plural,
    size,
    when,
)
from growbox_tui.widgets.map_rows import MapRow, Section, file_row, named
from growbox_tui.widgets.memory_panel import HEAT_COLOURS, LEAVING, PIN, TIME, wish
from growbox_tui.widgets.recall_words import brought, grounds, part
from growbox_tui.widgets.safe_text import one_line, unmarked

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, WindowItemView
    from memory.types import MemoryState

NOTHING_STANDS = "nothing remembered stands before the model yet; what recall finds is put here"
NOTHING_RECALLED = "nothing recalled yet in this run"


def window_row(item: WindowItemView, hottest: float, now: datetime) -> MapRow:
    """Heat, time, tokens, place and label of one memory before the model."""
    rank = heat_rank(item.heat, hottest)

    def draw(cells: int) -> Content:
        lead = Content.assemble(
            (HEAT[rank], HEAT_COLOURS[rank]),
            (f" {pad_left(when(item.at, now), TIME)}", "$text-muted"),
            (f"  {pad_left(count(item.tokens), 6)}  ", "$text-muted"),
            (pad(item.place, 6), "$secondary"),
            " ",
            wish(item),
        )
        return lead + Content(pad(unmarked(item.label), max(0, cells - lead.cell_length)))

    def tell(cells: int) -> list[Content]:
        wanted = "pinned" if item.pinned else "leaving when this epoch ends" if item.leaving else ""
        stands = f"in the {item.place}, {plural(item.tokens, 'token')}, heat {item.heat:.2f}"
        return [
            named("what", unmarked(item.label), cells),
            named("stands", ", ".join(filter(None, (stands, wanted))), cells),
            named("address", one_line(item.address), cells),
        ]

    return MapRow(f"item:{item.address}", draw, tell)


def hit_row(hit: HitView, now: datetime, *, wrong: bool = False) -> MapRow:
    """Time, step, whether a judge has read it, and text of one memory that was found. ``wrong``:
    the user said that it is not what was meant."""
    mark = "wrong" if wrong else "yes" if hit.confirmed else ""
    style = "$text-warning" if wrong else "$text-success"

    def draw(cells: int) -> Content:
        lead = Content.assemble(
            (f"  {pad_left(when(hit.at, now), TIME)}  ", "$text-muted"),
            (pad(brought(hit), 9), "$secondary"),
            (f" {pad(mark, 5)} ", style),
        )
        return lead + Content(pad(unmarked(hit.text), max(0, cells - lead.cell_length)))

    def tell(cells: int) -> list[Content]:
        by = f"“{one_line(hit.key)}”" if hit.key else " + ".join(map(one_line, hit.ways))
        place = "in the prompt" if hit.placed else ""
        facts = filter(None, (grounds(hit), part(hit), f"score {hit.score:.2f}", place))
        return [
            named("by", by, cells),
            named("trust", ", ".join(facts), cells),
            named("address", f"{one_line(hit.address)}  {one_line(hit.role)}", cells),
        ]

    return MapRow(f"hit:{hit.address}", draw, tell)


def window_section(items: Sequence[WindowItemView], now: datetime) -> Section:
    """What stands before the model, hottest first."""
    if not items:
        return Section("In the window", NOTHING_STANDS)
    tokens = count(sum(item.tokens for item in items))
    words = f"{plural(len(items), 'memory', 'memories')}, {tokens} tokens"
    if pinned := sum(item.pinned for item in items):
        words += f", {pinned} pinned ({PIN})"
    if leaving := sum(item.leaving for item in items):
        words += f", {leaving} leaving ({LEAVING})"
    hottest = max(item.heat for item in items)
    return Section("In the window", words, [window_row(item, hottest, now) for item in items])


def hits_section(hits: Sequence[HitView], now: datetime) -> Section:
    """What the last recall found, best first."""
    if not hits:
        return Section("Last recall", NOTHING_RECALLED)
    words = f"{plural(len(hits), 'memory', 'memories')}; /why explains it"
    return Section("Last recall", words, [hit_row(hit, now) for hit in hits])


def file_section(state: MemoryState | None) -> Section:
    """Path, size and embedder of the memory file."""
    if state is None:
        return Section("The file", "the memory file is not open yet")
    share = f" ({percent(state.embedded_share)})" if state.nodes else ""
    by = one_line(state.embedder) or "nobody yet"
    return Section(
        "The file",
        size(state.bytes),
        [
            file_row("path", one_line(state.path), tail=True),
            file_row("vectors", f"{state.embedded:,}{share} by {by}"),
        ],
    )
