"""Standing: texts in the region that hold until they are done: the open plan, and what changed in
front of the conversation.

While the cache is warm nothing leaves the region, so an older text of the same kind may go on
standing there. Then the newer one says that it takes its place, or that nothing of it holds.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from growbox_tui.agent.errata import GONE, Front, corrections
from growbox_tui.agent.events import PlanItem
from memory.types import Epoch

INSTEAD = "[In the place of what stands above about the same:]\n"
OVER = "[It does not hold any more, and nothing came in its place: {}]"
PLAN = "[The plan as it stands:]"
_MARKS = {"open": "[ ]", "doing": "[~]", "done": "[x]"}
_KINDS = {
    "the plan": (PLAN,),
    "what changed in the project instructions": ("[The project instructions ", "[Project instr"),
    "what changed in the user's rules": ("[A rule of the user's, ", GONE),
    "the list of late tools": ("[Tools that ",),
}
"""What a text is about, and how such texts begin."""


def standing(
    plan: Sequence[PlanItem], stands: Front, now: Front, before: Epoch | None
) -> tuple[str, ...]:
    """The texts for the epoch that begins: the plan while a step of it is open, and how ``now``
    differs from what the prompt begins with.

    ``before``: the epoch that ends, if what stands in it may stay.
    """
    texts = [*_plan(plan), *corrections(stands, now)]
    old = [item.body for item in before.items if item.kind == "standing"] if before else []
    found = []
    for kind in _KINDS:
        text = next((text for text in texts if _about(text) == kind), "")
        found.append(_renewed(kind, text, [body for body in old if _about(body) == kind]))
    return tuple(filter(None, found))


def rules_in(epoch: Epoch) -> set[str]:
    """The user's rules that the newest text about them, in the region, says hold."""
    told = [item.body for item in epoch.items if item.kind == "standing"]
    bodies = [_bare(body) for body in told if _about(body) == "what changed in the user's rules"]
    held = bodies[-1].partition(GONE)[0] if bodies else ""
    return {line.removeprefix("- ") for line in held.split("\n") if line.startswith("- ")}


def _renewed(kind: str, text: str, before: Sequence[str]) -> str:
    """A text that is right where these of its kind stand before it; empty where none is needed."""
    if not before:
        return text
    wanted = text or OVER.format(kind)
    if _bare(before[-1]) == wanted:
        return before[-1] if text else ""
    made = INSTEAD + text if text else wanted
    while made in before:  # the same bytes would be the text that stands there already
        made = INSTEAD + made
    return made


def _about(body: str) -> str:
    """What a standing text is about; empty for one of no known kind."""
    for kind, openings in _KINDS.items():
        if _bare(body).startswith((*openings, OVER.format(kind))):
            return kind
    return ""


def _bare(body: str) -> str:
    """The text alone."""
    while body.startswith(INSTEAD):
        body = body.removeprefix(INSTEAD)
    return body


def _plan(plan: Iterable[PlanItem]) -> tuple[str, ...]:
    """The plan while a step of it is open, as the model reads it."""
    steps = [f"{_MARKS[item.state]} {item.text}" for item in plan]
    done = all(item.state == "done" for item in plan)
    return () if done else ("\n".join([PLAN, *steps]),)
