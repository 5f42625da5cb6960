"""The loop: recall, build the prompt, stream, dispatch, again, remember.

``run_turn`` reads top to bottom; everything that a turn does hangs on it.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from growbox_tui.agent.accounting import account, expect, unreported
from growbox_tui.agent.citing import confirm_cited, heed_refusal
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Done
from growbox_tui.agent.errata import corrections
from growbox_tui.agent.events import (
    EndReason,
    Failed,
    Notice,
    Steered,
    TurnEnded,
)
from growbox_tui.agent.messages import Text
from growbox_tui.agent.opening import open_turn
from growbox_tui.agent.pace import narrow, note_growth
from growbox_tui.agent.records import keep_partial, keep_reply, keep_result, mend
from growbox_tui.agent.room import make_room, ready, shorten_for
from growbox_tui.agent.speak import Shown, speak
from growbox_tui.agent.uncut import finish
from growbox_tui.agent.window_view import show_window
from growbox_tui.agent.wishes import delivered, forced, keep_spoken
from growbox_tui.agent.words import sentences
from growbox_tui.models.protocol import Model, ModelError, NoTools, Reply, TooLong
from memory import MemoryFileError

LENGTH_NOTICE = "The reply was cut at the model's output limit and is kept. /continue goes on."


async def run_turn(talk: Conversation, text: str, typed: str | None = None) -> TurnEnded:
    """One whole turn. Whatever happens, the conversation is valid afterwards: every tool call has
    a result, and what was shown is on disk. ``typed``: see ``open_turn``."""
    turn = talk.window.turns + 1
    shown = Shown()
    try:
        await ready(talk)
        await open_turn(talk, turn, text, text if typed is None else typed)
        if words := narrow(talk):
            talk.publish(Notice("warning", words))
        end = await _steps(talk, turn, shown)
        await finish(confirm_cited(talk))
    except asyncio.CancelledError:
        end = await _settle(talk, turn, shown, "cancelled", "stopped by the user")
    except (ModelError, MemoryFileError) as error:
        talk.publish(Failed(type(error).__name__, error.text, error.hint))
        end = await _settle(talk, turn, shown, "failed", error.text)
    except Exception as error:  # noqa: BLE001  whatever fails, the turn ends and the session lives
        failed = broken(error)
        talk.publish(failed)
        end = await _settle(talk, turn, shown, "failed", failed.text)
    talk.steering.clear()
    talk.publish(end)
    return end


async def _settle(
    talk: Conversation, turn: int, shown: Shown, reason: EndReason, detail: str
) -> TurnEnded:
    """Leave a valid conversation behind a turn that did not come to its own end."""

    async def settle() -> None:
        await keep_partial(talk, turn, shown.words)
        await mend(talk, turn, f"not finished: {detail}")

    try:
        await finish(settle())
    except MemoryFileError as error:
        talk.publish(Failed(type(error).__name__, error.text, error.hint))
    return TurnEnded(turn, reason, detail)


def broken(error: Exception) -> Failed:
    """A fault of growbox itself, as it is told."""
    return Failed(
        type(error).__name__,
        f"growbox itself failed: {type(error).__name__}: {error}",
        "The conversation is kept; please report this.",
    )


async def _steps(talk: Conversation, turn: int, shown: Shown) -> TurnEnded:
    previous: tuple[object, ...] = ()
    all_broken = 0
    for _ in range(talk.limits.steps):
        await make_room(talk)
        reply = await _ask(talk, turn, shown)
        await finish(_keep(talk, turn, reply, shown))
        if not reply.message.calls:
            if await _absorb_steering(talk, turn):
                continue
            return _ended(talk, turn, reply)
        results = await _dispatch(talk, turn, reply)
        steered = await _absorb_steering(talk, turn)
        now = () if reply.broken or steered else _fingerprint(reply, results)
        if now and now == previous:
            return TurnEnded(turn, "repeating", "The model did the same thing twice, to no effect")
        previous = now
        all_broken = all_broken + 1 if len(reply.broken) == len(results) else 0
        if all_broken >= talk.limits.repairs:
            return TurnEnded(turn, "failed", "The model keeps making calls that cannot be read")
    return TurnEnded(turn, "max_steps", f"{talk.limits.steps} steps are the limit of one turn")


async def _keep(talk: Conversation, turn: int, reply: Reply, shown: Shown) -> None:
    await keep_reply(talk, turn, reply)
    talk.looks.said(reply.message.text)
    shown.text.clear()


def _ended(talk: Conversation, turn: int, reply: Reply) -> TurnEnded:
    match reply.stop:
        case "length":
            talk.publish(Notice("warning", LENGTH_NOTICE))
            return TurnEnded(turn, "length")
        case "refusal":
            return TurnEnded(turn, "refused", "the model, or its provider's filter, refused")
        case _:
            return TurnEnded(turn, "done")


async def _ask(talk: Conversation, turn: int, shown: Shown) -> Reply:
    """One reply. A prompt that proves too long is shortened, hands that prove unwelcome are left
    out, and both are remembered of the model."""
    while True:
        model = talk.model
        try:
            return await _request(talk, model, turn, shown)
        except (TooLong, NoTools) as error:
            if talk.model is not model:
                continue  # the user chose another meanwhile; what the old one said is not its own
            if not await _adapted(talk, error):
                raise


async def _adapted(talk: Conversation, error: TooLong | NoTools) -> bool:
    """Shorten the prompt or leave out the hands; whether there was anything to change."""
    if isinstance(error, TooLong):
        words, changed = "The oldest of it left the prompt.", await shorten_for(talk, error.limit)
    else:
        words, changed = "It answers without hands.", talk.with_tools
        await talk.learn(replace(talk.learned, tools=False))
    if changed:
        talk.publish(Notice("warning", sentences(error.text, words)))
    return changed


async def _request(talk: Conversation, model: Model, turn: int, shown: Shown) -> Reply:
    note_growth(talk)
    expected = await expect(talk, model, turn)
    show_window(talk)
    begun = time.monotonic()
    tell = expected.telling(talk.publish)
    try:
        reply = await speak(model, expected.request, expected.number, tell, shown)
    except (ModelError, asyncio.CancelledError):
        await finish(unreported(talk, expected, time.monotonic() - begun))
        raise
    talk.sent = expected
    await account(talk, expected, reply, time.monotonic() - begun)
    return reply


async def _dispatch(talk: Conversation, turn: int, reply: Reply) -> list[Done]:
    """Run the calls of a reply, one after another; each result is on disk before the next."""
    results = []
    for call in reply.message.calls:
        done = await talk.dispatch.run(call, reply.broken.get(call.id, ""))
        talk.looks.did(call.name)
        await finish(keep_result(talk, turn, done))
        await heed_refusal(talk, done)
        results.append(done)
    return results


def _fingerprint(reply: Reply, results: list[Done]) -> tuple[object, ...]:
    """Words, calls and what came of them: equal twice running means that nothing moves."""
    return (
        " ".join(reply.message.text.split()),
        tuple((call.name, call.arguments) for call in reply.message.calls),
        tuple(done.content for done in results),
    )


async def _absorb_steering(talk: Conversation, turn: int) -> bool:
    """Put the user's added words into the conversation. Returns whether there were any."""
    added = False
    while talk.steering:
        await finish(_steered(talk, turn, talk.steering.popleft()))
        added = True
    return added


async def _steered(talk: Conversation, turn: int, text: str) -> None:
    """Words that the user added, with what waited for them: a rule as well, so that they stay when
    their message goes."""
    parts, shows = await forced(talk)
    front = talk.front()
    notes = map(Text, corrections(talk.errata.told, front))
    node = talk.node("user", text, turn, supplement=True)
    await talk.add(turn, "user", (*notes, *parts, Text(text)), node, shows)
    talk.publish(Steered(text))
    await delivered(talk, front)
    await keep_spoken(talk, text, "steered")
