"""Asides: turns that take no words: a command of the user's own, and a nap."""

from __future__ import annotations

import asyncio

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Done
from growbox_tui.agent.errata import written
from growbox_tui.agent.events import Failed, Napped, ToolEnded, TurnEnded
from growbox_tui.agent.loop import broken
from growbox_tui.agent.messages import Text
from growbox_tui.agent.records import keep_plan, trimmed
from growbox_tui.agent.room import compact, ready
from growbox_tui.agent.uncut import finish
from growbox_tui.agent.window_view import show_window
from growbox_tui.agent.wishes import rule_views, show_standing
from memory import MemoryFileError


async def shell_turn(talk: Conversation, command: str) -> TurnEnded:
    """Run a command that the user typed, and put what came of it into the conversation."""
    turn = talk.window.turns + 1
    end = TurnEnded(turn, "done")
    try:
        await ready(talk)
        done = await talk.dispatch.run_for_user(command)
        await finish(_keep_shell(talk, turn, command, done))
        end = TurnEnded(turn, "cancelled") if done.stopped else end
    except MemoryFileError as error:
        talk.publish(Failed(type(error).__name__, error.text, error.hint))
        end = TurnEnded(turn, "failed", error.text)
    except asyncio.CancelledError:
        end = TurnEnded(turn, "cancelled")
    except Exception as error:  # noqa: BLE001  whatever fails, the turn ends and is told
        failed = broken(error)
        talk.publish(failed)
        end = TurnEnded(turn, "failed", failed.text)
    talk.publish(end)
    return end


async def _keep_shell(talk: Conversation, turn: int, command: str, done: Done) -> None:
    head = f"I ran `{command}`:\n"
    whole = talk.node("tool", head + done.content, turn, kind="shell")
    node, content = await trimmed(talk, whole, done.content)
    address = await talk.add(turn, "user", (Text(head + content),), node)
    talk.publish(
        ToolEnded(done.call.id, "shell", done.is_error, done.detail, done.seconds, address)
    )


async def nap(talk: Conversation) -> TurnEnded:
    """Clear the conversation and the working set; all long memory stays."""
    end = TurnEnded(talk.window.turns, "done")
    try:
        await finish(_nap(talk))
    except MemoryFileError as error:
        talk.publish(Failed(type(error).__name__, error.text, error.hint))
    return end


async def _nap(talk: Conversation) -> None:
    rules = rule_views(talk)
    messages, items = len(talk.window.entries), len(talk.window.hottest())
    front, system = talk.front(), talk.system_now()
    epoch = await talk.mind.nap(talk.window, tools=talk.tools, system=system)
    talk.errata, talk.settled_tail, talk.sent = written(front), 0, None
    await talk.keep("napped", epoch.first)
    await talk.keep("errata", talk.errata.to_plain())
    if talk.plan:
        await keep_plan(talk, ())
    kept = await talk.mind.state()
    talk.publish(Napped(messages, items, kept.nodes, epoch.number))
    show_standing(talk, rules)
    show_window(talk)


async def compacted(talk: Conversation) -> TurnEnded:
    """Make the prompt smaller now: an epoch ends, computed from what is on disk; no model is
    asked."""
    end = TurnEnded(talk.window.turns, "done")
    try:
        await finish(compact(talk))
    except MemoryFileError as error:
        talk.publish(Failed(type(error).__name__, error.text, error.hint))
        return end
    show_window(talk)
    return end
