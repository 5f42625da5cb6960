"""Tellings: events in sentences, as notices."""

from __future__ import annotations

from growbox_tui.agent import events as e
from growbox_tui.agent.words import sentences
from growbox_tui.widgets.figures import count
from growbox_tui.widgets.notice import Level, Notice
from growbox_tui.widgets.safe_text import in_short

RETRY = "/retry sends your last words again."
RESUMED = "resumed: nothing has been sent since then"
NAPPED = "napped: the next prompt starts anew"
_ENDS: dict[e.EndReason, tuple[Level, str, str]] = {
    "done": ("info", "Done", ""),
    "length": ("warning", "The reply was cut at the length limit", "/continue goes on."),
    "cancelled": ("info", "Stopped", ""),
    "failed": ("error", "The turn failed", RETRY),
    "refused": ("warning", "The model refused to answer", ""),
    "repeating": ("warning", "Stopped: the model repeated itself", "Say it in other words."),
    "max_steps": ("warning", "Stopped: too many steps in one turn", "/continue goes on."),
}
_DETAILED: frozenset[e.EndReason] = frozenset({"failed", "refused", "repeating", "max_steps"})
"""Ends whose detail says more than their own words."""
_ANSWERS: dict[str, tuple[Level, str]] = {
    "once": ("good", "allowed once"),
    "session": ("good", "allowed for this session"),
    "always": ("good", "always allowed"),
    "no": ("warning", "refused"),
}
_RULES: dict[e.RuleOutcome, Level] = {
    "kept": "good", "merged": "info", "refused": "warning", "changed": "good", "dropped": "good",
}  # fmt: skip
_BY = {"user": "", "flag": " by --yes", "nobody": ", nobody was there to ask"}


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def turn_ended(event: e.TurnEnded) -> Notice:
    """Why a turn ended, and what can be done."""
    level, text, hint = _ENDS[event.reason]
    detail = event.detail if event.reason in _DETAILED else ""
    return Notice(sentences(text, detail), level, hint)


def napped(event: e.Napped) -> Notice:
    """What a nap put down and what it kept."""
    messages = _many(event.dropped_messages, "message", "messages")
    items = _many(event.dropped_items, "memory", "memories")
    kept = _many(event.kept_memories, "memory", "memories")
    return Notice(
        f"Napped. Put down: {messages}, and {items} of the prompt. Kept: all {kept} on file.",
        "good",
        "Ask about earlier things as ever; recall finds them.",
    )


def rebased(event: e.Rebased) -> Notice:
    """Why the prompt was begun anew, whether that costs anything, and how much shorter it is."""
    cost = "it costs nothing" if event.cold else "what follows its front is cached anew"
    said = [f"{count(event.before)} → {count(event.after)} tokens"] if event.before else []
    if event.dropped_messages:
        said.append(f"{_many(event.dropped_messages, 'message', 'messages')} put down")
    if event.kept_items:
        said.append(f"{_many(event.kept_items, 'line or passage', 'lines and passages')} stay")
    return Notice(sentences(f"Epoch {event.epoch} begins ({event.why}; {cost})", ", ".join(said)))


def rules_changed(event: e.RulesChanged) -> Notice:
    """What became of a rule, in one line."""
    level = _RULES.get(event.outcome, "info")
    return Notice(sentences(in_short(event.notice), "/rules shows all"), level)


def hands_arrived(event: e.HandsArrived) -> Notice:
    """Which tools came late. They are announced behind the prompt, which stays as it is."""
    what = _many(len(event.names), "tool", "tools")
    return Notice(f"{what} more can be called from now on: {', '.join(event.names)}.")


def retrying(event: e.Retrying) -> Notice:
    """That a request failed and is tried again."""
    when = f"Trying again in {event.seconds:.0f} s" if event.seconds >= 1 else "Trying again"
    return Notice(sentences(event.why, f"{when} (attempt {event.attempt})"), "warning")


def model_changed(event: e.ModelChanged) -> Notice:
    """Who answers from now on."""
    return Notice(sentences(f"{event.model} answers from now on", event.why))


def approval_answered(asked: e.ApprovalAsked, event: e.ApprovalAnswered) -> Notice:
    """What was allowed or refused, and by whom."""
    level, words = _ANSWERS.get(event.choice, ("info", event.choice))
    what = "; ".join(in_short(claim) for claim in asked.claims) or asked.preview.title
    reason = f": {event.reason}" if event.reason else ""
    return Notice(f"{what} · {words}{_BY[event.by]}{reason}", level)


def failed(event: e.Failed, *, in_turn: bool = False) -> Notice:
    """What went wrong and what to do about it. ``in_turn``: it ends a turn."""
    return _problem(event.text, event.hint, RETRY if in_turn else "")


def told(error: BaseException) -> Notice:
    """An error in its own words and with its hint where it has them, else its name and text."""
    text = getattr(error, "text", "") or f"{type(error).__name__}: {error}"
    return _problem(str(text), str(getattr(error, "hint", "")))


def _problem(text: str, *hints: str) -> Notice:
    return Notice(sentences(text), "error", sentences(*hints))
