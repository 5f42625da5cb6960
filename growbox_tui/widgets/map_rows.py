"""Map rows: what the memory page lists, a line each, and the marked one in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from growbox_tui.widgets.figures import count, fit, fit_left, pad, pad_left, plural, stamp, when
from growbox_tui.widgets.memory_panel import TIME
from growbox_tui.widgets.safe_text import one_line, unmarked

if TYPE_CHECKING:
    from memory.recall.overview import AnchorView, DebtView, Jump, MemoryMap, PointerView, Spot

NAME = 8
"""Cells of the names in what is told of one row."""
ARROW = " > "
Draw = Callable[[int], Content]
"""Cells to one line of at most that width."""
Tell = Callable[[int], list[Content]]
"""Cells to lines."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """One line of the list."""

    key: str
    """``pointer:12``: what it is, and its number or address."""
    draw: Draw
    tell: Tell


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title."""

    title: str
    figure: str
    """How many, and what the columns are; or why there are none."""
    rows: Sequence[MapRow] = ()


def named(name: str, words: Content | str, cells: int) -> Content:
    """One fact: its name in muted letters, then the words, cut at the width."""
    body = Content(words) if isinstance(words, str) else words
    return (Content.styled(pad(name, NAME), "$text-muted") + body).truncate(cells, ellipsis=True)


def two(one: str, other: str, cells: int) -> Content:
    """Two texts with an arrow between; what one leaves of its half the other may take."""
    from rich.cells import cell_len

    room = max(2, cells - len(ARROW))
    left = min(cell_len(one), max(room // 2, room - cell_len(other)))
    return Content.assemble(fit(one, left), (ARROW, "$text-muted"), fit(other, max(0, room - left)))


def spot_words(spot: Spot) -> str:
    """What a memory is called in a list; nowhere is anywhere."""
    return unmarked(spot.label) if spot.id else "anywhere"


def spot_line(name: str, spot: Spot, now: datetime, cells: int) -> Content:
    """A memory with its time and, at the right edge, its address."""
    if not spot.id:
        return named(name, Content.styled("anywhere", "$text-muted"), cells)
    address = f"  mem://{one_line(spot.id)}"
    at = pad_left(when(stamp(spot.at), now), TIME) + "  "
    room = max(8, cells - NAME - len(at) - len(address))
    words = pad(unmarked(spot.label), room)
    return named(
        name, Content.assemble((at, "$text-muted"), words, (address, "$text-muted")), cells
    )


# ---- pointers --------------------------------------------------------------------------------


def tried(successes: int, tries: int) -> str:
    """``7/9``: confirmed of tried."""
    return f"{count(successes)}/{count(tries)}"


def signs(view: PointerView) -> str:
    """``3+ 1-``: how many questions succeed and how many are misled by it."""
    good = sum(key.positive for key in view.keys)
    bad = len(view.keys) - good
    return f"{good}+ {bad}-" if bad else f"{good}+   "


def question(view: PointerView) -> str:
    """The question that leads here most."""
    asked = [key.question for key in view.keys if key.positive] or [
        key.question for key in view.keys
    ]
    return one_line(asked[0]) if asked else "no question any more"


def pointer_row(view: PointerView, now: datetime) -> MapRow:
    """Confirmed of tried, keys, the question that leads here most, and where it leads."""

    def draw(cells: int) -> Content:
        lead = f"{pad_left(tried(view.successes, view.tries), 9)} {pad_left(signs(view), 7)}  "
        rest = two(question(view), spot_words(view.target), cells - len(lead))
        return Content.styled(lead, "$text-muted") + rest

    def tell(cells: int) -> list[Content]:
        return [
            named("asked", f"“{question(view)}”", cells),
            spot_line("from", view.source, now, cells),
            spot_line("to", view.target, now, cells),
        ]

    return MapRow(f"pointer:{view.id}", draw, tell)


# ---- jumps, anchors, debts -------------------------------------------------------------------


def jump_row(jump: Jump, now: datetime) -> MapRow:
    """When the user pointed, with which words, and where to."""

    def draw(cells: int) -> Content:
        at = f"  {pad_left(when(stamp(jump.at), now), TIME)}  "
        said = f"“{one_line(jump.words)}”" if jump.words else spot_words(jump.source)
        return Content.styled(at, "$text-muted") + two(
            said, spot_words(jump.target), cells - len(at)
        )

    def tell(cells: int) -> list[Content]:
        where = "made in one conversation" if jump.session else "made outside of conversations"
        said = f"“{one_line(jump.words)}”, " if jump.words else ""
        return [
            named("jump", f"{said}{where}, holds until it is undone", cells),
            spot_line("from", jump.source, now, cells),
            spot_line("to", jump.target, now, cells),
        ]

    return MapRow(f"jump:{jump.id}", draw, tell)


def anchor_row(anchor: AnchorView, now: datetime) -> MapRow:
    """How far it is from where the conversation is now, and what it leads back to."""

    def draw(cells: int) -> Content:
        at = f"  {pad_left(when(stamp(anchor.target.at), now), TIME)}  level {anchor.level}  "
        words = pad(spot_words(anchor.target), max(0, cells - len(at)))
        return Content.assemble((at, "$text-muted"), words)

    def tell(cells: int) -> list[Content]:
        no = plural(anchor.rejections, "time", "times") if anchor.rejections else "never"
        heat = f"heat {anchor.heat:.2f}, rejected {no}"
        return [
            named("left", heat, cells),
            spot_line("from", anchor.source, now, cells),
            spot_line("to", anchor.target, now, cells),
        ]

    return MapRow(f"anchor:{anchor.target.id}", draw, tell)


def debt_row(debt: DebtView, number: int) -> MapRow:
    """How much of which stretch is owed to which question."""

    def draw(cells: int) -> Content:
        lead = f"{pad_left(count(debt.nodes), 9)}  {pad(debt.method, 7)}  "
        words = pad(one_line(debt.question), max(0, cells - len(lead)))
        return Content.assemble((lead, "$text-muted"), words)

    def tell(cells: int) -> list[Content]:
        tries = f"tried {plural(debt.tries, 'time')}" if debt.tries else "not tried yet"
        left = plural(debt.nodes, "memory", "memories")
        return [
            named("asked", f"“{one_line(debt.question)}”", cells),
            named("where", f"memories {debt.lo:,} to {debt.hi:,} of the timeline", cells),
            named("owed", f"{left}, to be read by a {one_line(debt.method)}; {tries}", cells),
        ]

    return MapRow(f"debt:{number}", draw, tell)


def learned(known: MemoryMap, now: datetime) -> list[Section]:
    """What recall has learned, section by section."""
    pointers = [pointer_row(view, now) for view in known.pointers]
    jumps = [jump_row(jump, now) for jump in known.jumps]
    anchors = [anchor_row(anchor, now) for anchor in known.anchors]
    debts = [debt_row(debt, number) for number, debt in enumerate(known.debts)]
    lost = f", {known.overflow:,} thrown out" if known.overflow else ""
    many = (
        max(known.pointer_count, len(pointers)),
        max(known.anchor_count, len(anchors)),
        max(known.debt_count, len(debts)),
    )
    return [
        _section("Pointers", pointers, many[0], f"confirmed of tried, keys{lost}",
                 "none yet; a question that came to something makes the first"),
        _section("Jumps", jumps, len(jumps), "you pointed; u takes one back",
                 "none; /pin makes one"),
        _section("Anchors", anchors, many[1], "what left the window", "none"),
        _section("Debts", debts, many[2], "leapt over, still to be read", "none"),
    ]  # fmt: skip


def _section(title: str, rows: list[MapRow], many: int, columns: str, none: str) -> Section:
    if not rows:
        return Section(title, none)
    shown = f"the first {len(rows):,} of {many:,}" if many > len(rows) else f"{many:,}"
    return Section(title, f"{shown}: {columns}", rows)


def file_row(name: str, words: str, *, tail: bool = False) -> MapRow:
    """A fact of the memory file. ``tail``: where it is cut, its end is what stays."""

    def draw(cells: int) -> Content:
        cut = fit_left if tail else fit
        return named(name, cut(words, max(0, cells - NAME)), cells)

    return MapRow(f"file:{name}", draw, lambda cells: [named(name, words, cells)])
