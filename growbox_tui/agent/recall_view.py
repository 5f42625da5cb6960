"""Recall view: what memory found, and how, as an event shows it."""

from __future__ import annotations

from collections.abc import Container

from growbox_tui.agent.events import (
    HitView,
    Occasion,
    PriceView,
    Recalled,
    StepView,
    StretchView,
)
from memory.context.render import minute, speaker
from memory.recollection import Hit, Recollection, Step

VIEW_CHARS = 600
"""Characters of a found memory that are shown."""
BEFORE_CHARS = 60
"""Characters before the piece that bears on the question, where it lies further in."""


def recalled(
    found: Recollection,
    placed: Container[str] = (),
    tokens: int = 0,
    occasion: Occasion = "turn",
) -> Recalled:
    """The event that tells of a recollection.

    Args:
        found: what memory brought.
        placed: ids of the nodes that it put into the prompt.
        tokens: estimated tokens of those.
        occasion: why memory was searched.
    """
    return Recalled(
        query=found.query,
        hits=tuple(hit_view(hit, hit.node.id in placed) for hit in found.hits),
        ways=found.ways,
        ms=round(found.ms, 2),
        tokens=tokens,
        complete=found.complete,
        answered_by=found.answered_by or "",
        steps=tuple(step_view(step) for step in found.steps),
        unread=tuple(StretchView(stretch.lo, stretch.hi) for stretch in found.unread),
        price=_price(found),
        recollection=found.id,
        occasion=occasion,
        notice=found.notice,
    )


def hit_view(hit: Hit, placed: bool) -> HitView:
    """One memory that was found."""
    return HitView(
        address=hit.node.address,
        role=speaker(hit.node),
        at=minute(hit.node.at),
        ways=hit.ways,
        score=round(hit.score, 3),
        text=excerpt(hit.node.text, hit.piece),
        placed=placed,
        rung=hit.rung,
        key=hit.key,
        piece=hit.piece,
        confirmed=hit.confirmed,
        placeholder=hit.placeholder,
    )


def step_view(step: Step) -> StepView:
    """One step of the ladder."""
    ms = round(step.ms, 2)
    return StepView(step.rung, step.found, step.calls, step.tokens, ms, step.note)


def excerpt(text: str, piece: tuple[int, int] | None) -> str:
    """At most ``VIEW_CHARS`` characters: the beginning, or from a little before the piece on, where
    it would lie outside of that."""
    if piece is None or piece[1] <= VIEW_CHARS:
        return text[:VIEW_CHARS]
    start = max(0, piece[0] - BEFORE_CHARS)
    return ("…" if start else "") + text[start : start + VIEW_CHARS]


def _price(found: Recollection) -> PriceView | None:
    price = found.price
    return PriceView(price.nodes, price.tokens, price.calls) if price is not None else None
