"""Plain text: the answer on stdout, narration on stderr."""

from __future__ import annotations

from collections.abc import Callable

from growbox_tui.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Event,
    Failed,
    MessageEnded,
    Notice,
    Rebased,
    Recalled,
    Retrying,
    RulesChanged,
    SessionOpened,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    UsageReported,
)
from growbox_tui.agent.words import sentences
from growbox_tui.frontends.clean import clean

Write = Callable[[str], None]


class TextFrontEnd:
    """Reads events; words that end a turn are the answer, all others are narration."""

    def __init__(self, answer: Write, narrate: Write) -> None:
        """Both are given whole lines without their newline."""
        self._answer = answer
        self._narrate = narrate
        self._failed = ""

    def show(self, event: Event) -> None:
        """Write what one event says, if it says anything here."""
        match event:
            case MessageEnded(text=text, stop=stop) if text:
                (self._narrate if stop == "tool_calls" else self._answer)(clean(text))
            case TurnEnded(reason="failed", detail=detail) if detail == self._failed:
                pass  # told already, with what to do about it
            case _:
                line = narration(event)
                if line:
                    self._narrate(clean(line))
        if isinstance(event, Failed):
            self._failed = event.text


def narration(event: Event) -> str:
    """What is told of an event on stderr; empty for most."""
    match event:
        case SessionOpened(model=model, why=why) if why:
            return f"model: {model} ({why})"
        case Recalled(hits=hits) if hits or event.occasion == "wrong":
            return _recalled(event)
        case ToolStarted(name=name, title=title):
            return f"{name}: {title}"
        case ToolEnded(name=name, is_error=True, detail=detail):
            return f"{name} failed: {detail.summary}"
        case ApprovalAsked(claims=claims):
            return f"asks: {', '.join(claims)}"
        case ApprovalAnswered(by="flag"):
            return "granted by --yes"
        case ApprovalAnswered(choice="no", reason=reason):
            return f"refused: {reason}"
        case Retrying(seconds=seconds, why=why):
            return f"trying again in {seconds:.1f} s: {why}"
        case UsageReported(input=tokens, cache_read=read, cause=cause) if tokens is not None:
            served = "not reported" if read is None else f"{read} from cache"
            return f"prompt: {tokens} tokens, {served}{f' ({cause})' if cause else ''}"
        case Rebased(epoch=epoch, why=why, before=before, after=after):
            return f"epoch {epoch}: {why}, {before} -> {after} tokens"
        case RulesChanged(notice=notice) if notice:
            return notice
        case Notice(text=text):
            return text
        case Failed(text=text, hint=hint):
            return sentences(text, hint)
        case TurnEnded(reason=reason, detail=detail) if reason not in ("done", "length"):
            return sentences(reason, detail)
    return ""


def _recalled(event: Recalled) -> str:
    """What was found, by which step, what judges took, and how much is unread."""
    name = "dug deeper" if event.occasion == "wrong" else "recall"
    by = f" by {event.answered_by}" if event.answered_by else ""
    found = "1 memory" if len(event.hits) == 1 else f"{len(event.hits)} memories"
    said = f"{name}: {found}{by} in {event.ms:.0f} ms"
    calls = sum(step.calls for step in event.steps)
    if calls:
        said += f", {calls} calls, {sum(step.tokens for step in event.steps)} tokens"
    price = event.price
    if not event.complete and price is not None:
        said += f"; {price.nodes} unread ({price.calls} calls, {price.tokens} tokens)"
    return said
