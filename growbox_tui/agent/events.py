"""Event: the one union of everything that happens.

The screen, the JSON output and every other front end read these and nothing else. Events hold
plain data; each survives ``from_json(to_json(event))``. A question to the user is an event with
an id; the answer is a command (``Session.answer``) with the same id.
"""

from __future__ import annotations

import json
import types
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

EndReason = Literal["done", "length", "cancelled", "failed", "refused", "repeating", "max_steps"]
Shortfall = Literal[
    "",
    "first",
    "edit",
    "epoch",
    "expiry",
    "model",
    "setting",
    "marks",
    "look-back",
    "minimum",
    "step",
    "provider",
    "not reported",
    "surplus",
    "estimate",
]
"""Why a cache served less than it might have. ``edit``: bytes changed in front of others, which
must never happen within an epoch. ``epoch``: a new one began. ``step``: rounding by the provider.
``provider``: by its own rules it should have served more. ``marks``: nothing was stored that ends
there. ``surplus``: more was served than forecast; nothing is missing. ``estimate``: what was served
ended where no report had told the size, which was estimated a little wrong."""
Occasion = Literal["turn", "wrong", "asked"]
"""``turn``: words to the model. ``wrong``: what was found before was called wrong. ``asked``: the
user looked something up."""
RuleOutcome = Literal["", "kept", "merged", "refused", "changed", "dropped"]
SegmentState = Literal["hit", "new", "broken"]
"""``hit``: bytes that stood still since an earlier request and are still cached. ``new``: never
sent before. ``broken``: sent before and lost: behind a change, expired, or stored nowhere."""


# ---- parts of events -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SegmentView:
    """One stretch of the prompt, as the prefix bar draws it."""

    name: str
    """``tools``, ``system``, ``rules``, ``region``, ``tail`` or ``turn``."""
    tokens: int
    """Estimated tokens."""
    state: SegmentState


@dataclass(frozen=True, slots=True)
class HitView:
    """One memory that recall found."""

    address: str
    """``mem://…``"""
    role: str
    at: str
    """UTC, ``YYYY-MM-DD HH:MM``."""
    ways: tuple[str, ...]
    """Which ways found it: ``vector``, ``text``, ``time``."""
    score: float
    text: str
    """The first few hundred characters."""
    placed: bool
    """Whether it was put into the prompt now (``False``: it stood there already); where the user
    looked it up, whether it stands there."""
    rung: str = ""
    """The step of the ladder that brought it, as in ``StepView``."""
    key: str = ""
    """The past question by which a pointer led to it."""
    piece: tuple[int, int] | None = None
    """Which characters of the memory bear on the question; ``None`` is all of them."""
    confirmed: bool = False
    """Whether a judge read it for this question and said yes."""
    placeholder: bool = False
    """Found by the approximate index alone: no learned way stands behind it."""


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the ladder by which memory was searched."""

    rung: str
    """``jumps``, ``pins``, ``pointers``, ``anchors``, ``near``, ``scan`` or ``reading``."""
    found: int
    """Memories that no step before it had brought."""
    calls: int = 0
    """Calls of a judge."""
    tokens: int = 0
    """Tokens that the judge read."""
    ms: float = 0.0
    note: str = ""
    """What is worth saying of it; why it was skipped, if it was."""


@dataclass(frozen=True, slots=True)
class StretchView:
    """Positions of the timeline, both ends included."""

    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class PriceView:
    """What exact reading of what is left would cost."""

    nodes: int
    tokens: int
    calls: int


@dataclass(frozen=True, slots=True)
class WindowItemView:
    """One memory that the model has before it, for the memory panel; hottest first."""

    address: str
    label: str
    at: str
    heat: float
    tokens: int
    place: Literal["region", "tail"]
    pinned: bool = False
    """Whether the user pinned it, so that no epoch drops it."""
    leaving: bool = False
    """Whether the user dropped it, so that the epoch's end does too."""


@dataclass(frozen=True, slots=True)
class DetailView:
    """What a tool card shows; the model never reads this."""

    kind: str
    """``shell``, ``file``, ``diff``, ``listing``, ``matches``, ``plan``, ``question``,
    ``memory`` or ``text``."""
    title: str
    """What was done, short: a path, a command, a pattern."""
    summary: str
    """How it went, in a word or two: ``4 files``, ``exit 1``."""
    body: str
    """What opens: output, diff, listing."""
    language: str = ""
    """For highlighting ``body``; empty is plain text."""


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One step of the plan."""

    text: str
    state: Literal["open", "doing", "done"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that can be given to an approval."""

    key: Literal["once", "session", "always", "no"]
    words: str


# ---- the session -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionOpened:
    session: str
    project: str
    model: str
    why: str
    """Why this model was taken; empty when the user chose it."""
    resumed: bool
    turns: int
    """Turns that the conversation already has."""
    memories: int
    """Nodes in the memory file."""
    context: int | None = None
    """The model's context window in tokens, where it is known."""
    window: int | None = None
    """The most that a prompt shall take: the user's own limit or the model's context, whichever is
    smaller."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A message of a resumed conversation, for the screen to draw again."""

    role: Literal["user", "assistant", "tool"]
    text: str
    name: str = ""
    """The hand, for ``tool``."""
    title: str = ""
    """What it was asked to do, short, for ``tool``."""
    is_error: bool = False
    """Whether it failed, for ``tool``."""


@dataclass(frozen=True, slots=True)
class ModelChanged:
    model: str
    why: str
    context: int | None = None
    window: int | None = None
    """As in ``SessionOpened``."""


@dataclass(frozen=True, slots=True)
class Napped:
    """The conversation and working set were cleared; long memory was kept."""

    dropped_messages: int
    dropped_items: int
    kept_memories: int
    epoch: int


# ---- a turn ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TurnStarted:
    turn: int
    text: str
    """The user's words as typed; they are on disk."""
    address: str = ""
    """``mem://…`` of their node."""


@dataclass(frozen=True, slots=True)
class Steered:
    """Words that the user added while the turn ran, now in the conversation."""

    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    turn: int
    reason: EndReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    query: str
    hits: tuple[HitView, ...]
    ways: tuple[str, ...]
    """The ways that were tried, cheapest first."""
    ms: float
    tokens: int
    """Tokens that were added to the prompt for it."""
    complete: bool
    """``False`` when some way could not be tried, or something that bears on the question may lie
    in ``unread``."""
    answered_by: str = ""
    """The step that brought the best memory; empty where nothing was found."""
    steps: tuple[StepView, ...] = ()
    """The ladder, as far as it was climbed."""
    unread: tuple[StretchView, ...] = ()
    """Where what is missing must lie."""
    price: PriceView | None = None
    """What reading that would cost."""
    recollection: int = 0
    """Its number on file, by which feedback names it; 0 where it was not kept."""
    occasion: Occasion = "turn"
    """Why memory was searched."""
    notice: str = ""
    """Why it is not complete, where that is news."""


@dataclass(frozen=True, slots=True)
class PromptBuilt:
    request: int
    """Counts requests of the session from 1."""
    epoch: int
    segments: tuple[SegmentView, ...]
    total: int
    """Estimated tokens of the whole prompt."""
    predicted: int
    """Tokens that the cache should serve, by its provider's rules."""
    cause: str
    """Where the prefix breaks, in words; empty if it only grew."""
    bound: int = 0
    """Tokens that were sent before in any place: what the best cache could serve."""
    kind: Shortfall = ""
    """The class of the cause."""


@dataclass(frozen=True, slots=True)
class WindowChanged:
    items: tuple[WindowItemView, ...]


@dataclass(frozen=True, slots=True)
class Rebased:
    """An epoch ended; the next one starts with a shorter prompt."""

    epoch: int
    why: str
    kept_items: int
    """Lines, excerpts and memories that stand in front of the conversation now."""
    dropped_messages: int
    cold: bool = False
    """Whether the cache was gone anyway, so that it cost nothing."""
    before: int = 0
    """Tokens of the prompt before, the model's own as far as it has told how it counts."""
    after: int = 0
    """And after."""


@dataclass(frozen=True, slots=True)
class RuleView:
    """One line of the constraints block."""

    id: int
    text: str
    source: str
    """``stated`` or ``steered``."""
    standing: bool
    """Whether it stands in the prompt's prefix; until the next epoch a new one stands in the
    tail."""


@dataclass(frozen=True, slots=True)
class RulesChanged:
    rules: tuple[RuleView, ...]
    notice: str = ""
    """What happened, in words: kept, merged, refused."""
    outcome: RuleOutcome = ""
    """The same as a word; empty where nothing happened to tell of."""


@dataclass(frozen=True, slots=True)
class HandsArrived:
    """Tools that came after the prompt was fixed; they are announced in the tail."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Warmed:
    """A request whose only purpose was to keep the cache alive."""

    number: int
    most: int
    """After so many without a turn the cache is let go."""
    read: int | None
    """Tokens that were served."""
    cost: float | None
    """US dollars of this one."""
    spent: float | None
    """US dollars of all since the last turn."""


@dataclass(frozen=True, slots=True)
class MessageStarted:
    request: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    text: str


@dataclass(frozen=True, slots=True)
class MessageEnded:
    """A reply is whole and on disk."""

    address: str
    """``mem://…`` of its node; empty when it had no visible words."""
    text: str
    stop: str


@dataclass(frozen=True, slots=True)
class UsageReported:
    request: int
    input: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    cost: float | None
    """US dollars; ``None`` when the price is not known."""
    seconds: float
    predicted: int
    cause: str
    """Why less was served than stood there before, in words; empty where nothing is missing."""
    kind: Shortfall = ""
    """The class of the cause."""
    bound: int = 0
    """As in ``PromptBuilt``, in the provider's tokens."""
    saved: float | None = None
    """US dollars less than the same request would have cost without a cache."""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Retrying:
    seconds: float
    attempt: int
    why: str
    shown: bool
    """Whether part of the failed reply had been shown; it is marked as cut."""


# ---- hands -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolStarted:
    call: str
    name: str
    title: str
    claims: tuple[str, ...]
    """Sentences: ``write src/a.py``, ``run pytest -q``."""


@dataclass(frozen=True, slots=True)
class ToolProgress:
    call: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    call: str
    name: str
    is_error: bool
    detail: DetailView
    seconds: float
    address: str
    """``mem://…`` of the whole result."""


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    ask: str
    call: str
    name: str
    claims: tuple[str, ...]
    preview: DetailView
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    ask: str
    choice: str
    reason: str = ""
    by: Literal["user", "flag", "nobody"] = "user"
    """``flag``: ``--yes``. ``nobody``: no one was there to ask, so it was refused."""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    ask: str
    question: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    ask: str
    answer: str


@dataclass(frozen=True, slots=True)
class PlanChanged:
    items: tuple[PlanItem, ...]


# ---- words to the user -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Notice:
    level: Literal["info", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong: what, and what to do about it."""

    kind: str
    text: str
    hint: str = ""


Event = (
    SessionOpened | Replayed | ModelChanged | Napped
    | TurnStarted | Steered | TurnEnded
    | Recalled | PromptBuilt | WindowChanged | Rebased
    | RulesChanged | HandsArrived | Warmed
    | MessageStarted | TextDelta | ThinkingDelta | MessageEnded | UsageReported | Retrying
    | ToolStarted | ToolProgress | ToolEnded
    | ApprovalAsked | ApprovalAnswered | QuestionAsked | QuestionAnswered | PlanChanged
    | Notice | Failed
)  # fmt: skip

KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _typed(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(_typed(get_args(kind)[0], item) for item in value)
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(kind) if part is not type(None)]
        return None if value is None else _typed(inner[0], value)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{name: _typed(hints[name], item) for name, item in value.items()})
    if kind is float and isinstance(value, int):
        return float(value)
    return value


def to_json(event: Event) -> str:
    """One line of JSON: ``{"event": "TextDelta", …fields}``."""
    return json.dumps({"event": type(event).__name__, **_plain(event)}, ensure_ascii=False)


def from_json(line: str) -> Event:
    """The event that ``to_json`` wrote. Raises ``ValueError`` for an unknown or torn line."""
    body = json.loads(line)
    try:
        kind = KINDS[body.pop("event")]
        return _typed(kind, body)  # type: ignore[no-any-return]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not an event: {line[:200]}") from error
