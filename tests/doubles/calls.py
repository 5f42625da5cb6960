"""Calls of a model as sessions make them, and worse; and whether it foresaw what they cost."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import aclosing
from dataclasses import dataclass

from growbox_tui.agent.messages import Message, Text
from growbox_tui.models.llama_model import LlamaModel
from growbox_tui.models.protocol import EmptyReply, Reply, Request, TextPiece

WORDS = ("oak", "elm", "ash", "river", "mill", "stone", "path", "树", "été", "🌱", "x", "=", "f(y)")
KINDS = ("grow", "grow", "grow", "edit", "edit", "again", "unrelated", "back", "cancel", "long")


@dataclass(frozen=True, slots=True)
class Call:
    """One request, and when to let go of its reply."""

    kind: str
    request: Request
    cancel_after: int = 0
    """Pieces after which it is cancelled; 0 is never."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What was said of a call before it, and what it came to."""

    kind: str
    tokens: int
    foreseen: int
    """Tokens that need not be evaluated."""
    served: int | None
    """Those that were not; ``None`` where it was cancelled or nothing was said."""

    @property
    def right(self) -> bool:
        """Whether both are equal to within one."""
        return self.served is not None and abs(self.served - self.foreseen) <= 1


async def foresee(model: LlamaModel, count: int, seed: int) -> list[Foreseen]:
    """Call a model until so many calls have ended, and compare."""
    found: list[Foreseen] = []
    plan = calls(seed)
    call = next(plan)
    while sum(each.served is not None for each in found) < count:
        one, said = await made(model, call)
        found.append(one)
        call = plan.send(said)
    return found


async def made(model: LlamaModel, call: Call) -> tuple[Foreseen, str]:
    """One call, and what the model said."""
    told = await model.foresee(call.request)
    assert told is not None, "a voice that is not closed foresees"
    words, pieces = "", 0
    try:
        async with aclosing(model.stream(call.request)) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                if isinstance(delta, Reply):
                    assert delta.usage is not None
                    served = delta.usage.cache_read
                    return Foreseen(call.kind, *told, served), delta.message.text
                words += delta.text if isinstance(delta, TextPiece) else ""
                pieces += 1
                if pieces == call.cancel_after:
                    break
    except EmptyReply:
        return Foreseen(call.kind, *told, None), ""
    return Foreseen(call.kind, *told, None), words


def calls(seed: int, *, most: int = 1100, long: int = 250) -> Generator[Call, str, None]:
    """Requests one after another; each is sent what the model said to the one before.

    A conversation grows, is edited at random places, asked again unchanged, left for an unrelated
    prompt and taken up again; replies are cancelled; now and then a text of ``long`` words comes.
    It begins anew when it has more than ``most`` words.
    """
    dice = random.Random(seed)
    said = ""
    talk = [_user(_words(dice, 12))]
    request = asked(talk)
    while True:
        kind = dice.choice(KINDS)
        if sum(len(message.text.split()) for message in talk) > most:
            talk, kind = [_user(_words(dice, 12))], "anew"
        if kind in ("grow", "cancel", "long"):
            talk.append(_assistant(said))
            talk.append(_user(_words(dice, long if kind == "long" else dice.randint(1, 20))))
        elif kind == "edit":
            place = dice.randrange(len(talk))
            talk[place] = Message(talk[place].role, (Text(_words(dice, 8)),))
        request = (
            request
            if kind == "again"
            else asked([_user(_words(dice, 15))])
            if kind == "unrelated"
            else asked(talk)
        )
        cancel = dice.randint(1, 2) if kind == "cancel" else 0
        said = yield Call(kind, request, cancel)


def asked(talk: list[Message]) -> Request:
    """A conversation as a request for a few tokens."""
    return Request((), ("You are a helpful assistant.",), tuple(talk), max_output=6)


def _user(text: str) -> Message:
    return Message("user", (Text(text),))


def _assistant(text: str) -> Message:
    return Message("assistant", (Text(text or "Yes."),))


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choice(WORDS) for _ in range(count))
