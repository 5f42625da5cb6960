"""Records: how replies, results and what a cut turn leaves behind get into a conversation."""

from __future__ import annotations

from dataclasses import asdict

from executors.trim import trim
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Done
from growbox_tui.agent.events import MessageEnded, PlanChanged, PlanItem, ToolEnded
from growbox_tui.agent.messages import CUT, Text, ToolResult, message_from_json
from growbox_tui.agent.reply_summary import split
from growbox_tui.models.protocol import Reply
from memory.context.render import shown_ids
from memory.types import NewNode, Node


async def keep_reply(talk: Conversation, turn: int, reply: Reply) -> None:
    """Record a whole reply, then tell it. A summary of its own is no part of its words."""
    words, summary = split(reply.message.text)
    more = {"summary": summary} if summary else {}
    node = talk.node("assistant", words, turn, **more) if words.strip() else None
    address = await talk.add(turn, "assistant", reply.message.parts, node)
    talk.publish(MessageEnded(address, words, reply.stop))


async def keep_partial(talk: Conversation, turn: int, words: str) -> None:
    """Record what was shown of a reply that will not be finished."""
    if words.strip():
        text = Text(words + CUT)
        address = await talk.add(turn, "assistant", (text,), talk.node("assistant", words, turn))
        talk.publish(MessageEnded(address, words, "cut"))


async def keep_result(talk: Conversation, turn: int, done: Done) -> None:
    """Record what came of a call, then tell it."""
    name, title, content = done.call.name, done.detail.title, done.content
    shows: tuple[str, ...] = ()
    if name == "recall":
        # What it brought is on the timeline already; a copy would be found in its stead.
        shows = shown_ids(content)
        found = " ".join(f"mem://{node_id}" for node_id in shows)
        node: NewNode | Node = talk.node("tool", f"recall: {title}\n{found}", turn, kind=name)
    else:
        whole = f"{name}: {title}\n{content}" if title else content
        # So that memory knows when what it holds of a file has gone stale.
        more = {"reference": asdict(done.reference)} if done.reference else {}
        made = talk.node("tool", whole, turn, kind=name, **more)
        node, content = await trimmed(talk, made, content)
    result = ToolResult(done.call.id, content, done.is_error)
    address = await talk.add(turn, "tool", (result,), node, shows)
    talk.publish(ToolEnded(done.call.id, name, done.is_error, done.detail, done.seconds, address))
    if done.plan is not None:
        await keep_plan(talk, tuple(PlanItem(text, state) for text, state in done.plan))  # type: ignore[arg-type]


async def keep_plan(talk: Conversation, plan: tuple[PlanItem, ...]) -> None:
    """Take a plan in the place of the one before, then tell it."""
    talk.plan = plan
    await talk.keep("plan", [[item.text, item.state] for item in plan])
    talk.publish(PlanChanged(plan))


async def trimmed(talk: Conversation, node: NewNode, content: str) -> tuple[NewNode | Node, str]:
    """What the model reads of a content, and the node that keeps the whole of it."""
    if len(content) <= talk.limits.result_chars:
        return node, content
    kept = await talk.mind.remember(node)
    return kept, trim(content, talk.limits.result_chars, kept.address)


async def mend(talk: Conversation, turn: int, why: str) -> int:
    """Give every call without a result one that says why. Returns how many there were."""
    answered: set[str] = set()
    open_calls: list[tuple[str, str]] = []
    for entry in talk.window.entries:
        message = message_from_json(entry.body)
        open_calls += [(call.id, call.name) for call in message.calls]
        answered |= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
    missing = [(call, name) for call, name in open_calls if call not in answered]
    for call, name in missing:
        printed = talk.dispatch.printed(call)
        words = f"{printed}\n[{why}]" if printed else why
        node = talk.node("tool", f"{name}: {words}", turn, kind=name)
        await talk.add(turn, "tool", (ToolResult(call, words, is_error=True),), node)
    return len(missing)
