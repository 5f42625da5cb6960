"""Step table: the ladder of one recall, a step a line with what it found and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from growbox_tui.widgets.figures import count, pad, pad_left
from growbox_tui.widgets.recall_words import MEANS, NOT_COMPLETE, RUNGS, milliseconds, missing
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import Recalled, StepView

NAME, FOUND, CALLS, TOKENS, TIME = 9, 5, 5, 7, 8
LEAD = NAME + FOUND + CALLS + TOKENS + TIME + 4
"""Cells of the figures."""
GAP = "  "
LEAST_NOTE = 18
"""Cells of a note beside the figures; where there are fewer, it stands below them."""


def step_head() -> Content:
    """The names of the columns."""
    cells = (("found", FOUND), ("calls", CALLS), ("tokens", TOKENS), ("time", TIME))
    words = " ".join([pad("step", NAME), *(pad_left(name, room) for name, room in cells)])
    return Content.styled(words, "$text-muted")


def step_lines(step: StepView, cells: int, *, answers: bool = False) -> list[Content]:
    """One step; its note is broken into as many lines as it takes. ``answers``: it is the step that
    brought the best memory."""
    name = "bold $text-success" if answers else "" if step.found else "$text-muted"
    lead = Content.assemble(
        (pad(one_line(step.rung), NAME), name),
        (f" {step.found:>{FOUND},}", "" if step.found else "$text-muted"),
        (f" {step.calls or '':>{CALLS}}", "$text-muted"),
        (" " + pad_left(count(step.tokens) if step.tokens else "", TOKENS), "$text-muted"),
        (" " + pad_left(milliseconds(step.ms) if step.ms else "", TIME), "$text-muted"),
    )
    note = one_line(step.note)
    if not note:
        return [lead]
    words = Content.styled(note, "$text-muted")
    if cells - LEAD < LEAST_NOTE:
        return [lead, *(Content(GAP) + line for line in words.wrap(max(8, cells - len(GAP))))]
    indent = " " * (LEAD + len(GAP))
    first, *rest = words.wrap(cells - len(indent))
    return [lead + Content(GAP) + first, *(Content(indent) + line for line in rest)]


def ladder(
    steps: Sequence[StepView],
    cells: int,
    *,
    answered_by: str = "",
    running: bool = False,
    brief: bool = False,
) -> list[Content]:
    """The steps that were climbed, and below them those that were not.

    Args:
        steps: those that were climbed, in order.
        cells: width of a line.
        answered_by: the step that brought the best memory.
        running: the next step is being tried.
        brief: steps that found nothing and have nothing to say share one line.
    """
    idle = [step for step in steps if not (step.found or step.calls or step.note)]
    idle = idle if brief and len(idle) > 1 else []
    lines = [step_head()]
    if idle:
        lines.append(_muted(f"found nothing: {', '.join(one_line(s.rung) for s in idle)}", cells))
    for step in steps:
        if step not in idle:
            lines += step_lines(step, cells, answers=step.rung == answered_by)
    left = [rung for rung in RUNGS if rung not in {step.rung for step in steps}]
    if running and left:
        words = Content.assemble(
            (pad(left[0], NAME), "$text-warning"), (f" {MEANS[left[0]]} ...", "$text-muted")
        )
        lines.append(words.truncate(cells, ellipsis=True))
    elif left and steps:
        lines.append(_muted(f"not climbed: {', '.join(left)}", cells))
    return lines


def gaps(event: Recalled) -> Content:
    """What may be missing: that something may is loud, the rest is quiet."""
    words = missing(event)
    loud = "" if event.complete else NOT_COMPLETE
    return Content.assemble((loud, "$text-warning"), (words.removeprefix(loud), "$text-muted"))


def _muted(words: str, cells: int) -> Content:
    return Content.styled(words, "$text-muted").truncate(cells, ellipsis=True)
