"""Cache table: the requests of a session, and what they come to, in columns of figures.

Pure. Three widths: where there is room, a request has its time, its epoch and its bound in its own
line; where there is little, not even its forecast. What a line has no room for stands in the lines
below the table that tell of the marked request; the cause always has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from growbox_tui.widgets.cache_words import STYLES, outcome
from growbox_tui.widgets.figures import (
    DOT,
    count,
    dollars,
    fit,
    pad,
    pad_left,
    percent,
    plural,
    short_model,
    stamp,
    when,
)
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import PromptBuilt
    from growbox_tui.agent.story import Story, StoryRow, Totals

WIDE = 108
"""Cells from which a request has all of its figures in its own line."""
FAIR = 66
"""Cells from which it has its forecast and what was saved."""
Order = Literal["newest", "avoidable", "price", "tokens"]
ORDERS: tuple[Order, ...] = ("newest", "avoidable", "price", "tokens")
"""In the order in which the key takes them."""
NUMBER, TIME, EPOCH, TOKENS, FORECAST, SERVED, BOUND, MONEY = 4, 6, 5, 6, 8, 12, 6, 8
NONE_YET = "No request yet. Each one will stand here, with what the cache served of it."
NO_MISS = "No misses: each request was served what the forecast said."


def in_time(story: Story) -> list[StoryRow]:
    """Requests and pings, oldest first. A ping is a request that only kept the cache alive."""
    return sorted((*story.rows, *story.pings), key=lambda row: row.at)


def ordered(rows: Sequence[StoryRow], order: Order, *, misses: bool) -> list[StoryRow]:
    """The rows to show, the first one at the top; equal ones newest first. ``misses`` leaves out
    those that were served what the forecast said."""
    shown = [row for row in reversed(rows) if row.missed or not misses]
    match order:
        case "avoidable":
            shown.sort(key=lambda row: -row.avoidable)
        case "price":
            shown.sort(key=lambda row: -(row.cost or 0.0))
        case "tokens":
            shown.sort(key=lambda row: -row.tokens)
        case _:
            pass
    return shown


# ---- the requests ----------------------------------------------------------------------------


def _line(cells: Sequence[tuple[str, int, str]], last: tuple[str, str], width: int) -> Content:
    """Figures right-aligned in their columns, and words that take what is left."""
    parts: list[tuple[str, str]] = []
    taken = 0
    for text, room, style in cells:
        parts.append((pad_left(text, room) + " ", style))
        taken += room + 1
    words, style = last
    return Content.assemble(*parts, (" " + pad(words, max(0, width - taken - 1)), style))


def request_head(width: int, order: Order) -> Content:
    """The names of the columns, the one that orders them in another colour."""
    wide, fair = width >= WIDE, width >= FAIR

    def name(words: str, room: int, of: Order | None = None) -> tuple[str, int, str]:
        return words, room, "$text-accent" if of == order else "$text-muted"

    cells = [name("#", NUMBER, "newest")]
    cells += [name("time", TIME), name("epoch", EPOCH)] if wide else []
    cells += [name("tokens", TOKENS, "tokens")]
    cells += [name("forecast", FORECAST)] if fair else []
    cells += [name("served", SERVED)]
    cells += [name("bound", BOUND), name("avoidable", 9, "avoidable")] if wide else []
    cells += [name("price", MONEY, "price")]
    cells += [name("saved", MONEY)] if fair else []
    return _line(cells, ("cause", "$text-muted"), width)


def served_words(reported: int | None, tokens: int) -> str:
    """``42.9k  90 %``; a figure that was not reported is never shown as zero."""
    if reported is None:
        return "not reported"
    return f"{count(reported)} {percent(reported / tokens if tokens else 0.0):>5}"


def request_line(row: StoryRow, now: datetime, width: int) -> Content:
    """One request in one line."""
    wide, fair = width >= WIDE, width >= FAIR
    result = outcome(row.kind, row.cause, row.predicted, row.reported)
    muted = "$text-muted"
    cells = [(str(row.request or "ping"), NUMBER, muted)]
    if wide:
        cells += [(when(stamp(row.at), now), TIME, muted), (str(row.epoch), EPOCH, muted)]
    cells += [(count(row.tokens), TOKENS, "")]
    cells += [(count(row.predicted), FORECAST, muted)] if fair else []
    cells += [(served_words(row.reported, row.tokens), SERVED, "")]
    if wide:
        lost = count(row.avoidable) if row.avoidable else ""
        cells += [(count(row.bound), BOUND, muted), (lost, 9, "$text-warning")]
    cells += [(dollars(row.cost), MONEY, "")]
    cells += [(dollars(row.saved), MONEY, muted)] if fair else []
    return _line(cells, (result.text, STYLES[result.kind]), width)


def waiting_line(prompt: PromptBuilt, width: int) -> Content:
    """A request that is under way."""
    wide, fair = width >= WIDE, width >= FAIR
    muted = "$text-muted"
    cells = [(str(prompt.request), NUMBER, muted)]
    cells += [("now", TIME, muted), (str(prompt.epoch), EPOCH, muted)] if wide else []
    cells += [(count(prompt.total), TOKENS, "")]
    cells += [(count(prompt.predicted), FORECAST, muted)] if fair else []
    cells += [("waiting", SERVED, muted)]
    cells += [(count(prompt.bound), BOUND, muted), ("", 9, "")] if wide else []
    cells += [("", MONEY, "")] * (2 if fair else 1)
    return _line(cells, (one_line(prompt.cause) or "under way", muted), width)


def detail_lines(row: StoryRow, now: datetime, width: int) -> list[Content]:
    """All of one request: what happened in full, then its figures."""
    result = outcome(row.kind, row.cause, row.predicted, row.reported)
    name = f"request {row.request}" if row.request else "ping that kept the cache alive"
    what = f"{name}: {result.text}"
    where = f"{when(stamp(row.at), now)}, epoch {row.epoch}, {short_model(row.model)}"
    miss = "nothing avoidable"
    if row.avoidable:
        miss = f"{plural(row.avoidable, 'token')} avoidable ({dollars(row.lost)})"
    figures = [f"bound {row.bound:,}", miss, where]
    if width < FAIR:
        figures[:0] = [f"forecast {row.predicted:,}", f"saved {dollars(row.saved)}"]
    lines = Content.styled(what, STYLES[result.kind]).wrap(width)[:2]
    return [*lines, *Content.styled(DOT.join(figures), "$text-muted").wrap(width)[:3]]


# ---- what they come to -----------------------------------------------------------------------


def totals_lines(story: Story, width: int) -> list[Content]:
    """This session, today and all time, with the names of the columns above them; and what the
    sums leave out."""
    head = _totals_line(
        ("", "calls", "tokens", "served", "bound", "avoidable", "price", "saved"),
        ("$text-muted",) * 8,
        width,
    )
    lines = [head]
    named = (("session", story.session), ("today", story.today), ("all time", story.ever))
    for name, totals in named:
        lines.append(_totals_line(_figures(name, totals), _styles(totals), width))
    note = left_out(story.session)
    if note:
        lines.append(Content.styled(fit(note, width), "$text-muted"))
    return [line.truncate(width) for line in lines]


def _figures(name: str, totals: Totals) -> tuple[str, ...]:
    share = "" if totals.hit is None else f" {percent(totals.hit):>5}"
    lost = f" {dollars(totals.lost):>8}" if totals.avoidable and totals.lost else ""
    priced = totals.requests > totals.unpriced
    return (
        name,
        count(totals.requests),
        count(totals.tokens),
        f"{count(totals.served)}{share}" if totals.tokens else "-",
        count(totals.bound) if totals.tokens else "-",
        f"{count(totals.avoidable)}{lost}" if totals.tokens else "-",
        dollars(totals.cost) if priced else "unknown" if totals.requests else "-",
        dollars(totals.saved) if priced else "unknown" if totals.requests else "-",
    )


def _styles(totals: Totals) -> tuple[str, ...]:
    avoidable = "$text-warning" if totals.avoidable else "$text-muted"
    return ("$text-muted", "", "", "", "$text-muted", avoidable, "", "$text-success")


def _totals_line(texts: Sequence[str], styles: Sequence[str], width: int) -> Content:
    """A narrow page leaves out calls, bound and what was avoidable, not the money."""
    rooms = (8, 6, 6, SERVED, BOUND, 15, MONEY, MONEY)
    whole = sum(rooms) + len(rooms) - 1 <= width
    parts = [(pad(texts[0], rooms[0]), styles[0])]
    parts += [
        (" " + pad_left(texts[at], rooms[at]), styles[at])
        for at in (range(1, len(rooms)) if whole else (2, 3, 6, 7))
    ]
    return Content.assemble(*parts)


def left_out(totals: Totals) -> str:
    """What the sums of a session leave out, in a sentence; empty where they hold everything."""
    parts = []
    if totals.unreported:
        parts.append(f"{plural(totals.unreported, 'request')} did not report what was served")
    if totals.unpriced:
        parts.append(f"the price of {plural(totals.unpriced, 'request')} is unknown")
    return f"Left out of the session's sums: {'; '.join(parts)}." if parts else ""
