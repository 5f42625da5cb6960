"""Wishes: what the user asks of the prompt itself: rules, pins, notes.

None of it changes a byte in front of the conversation: what is new travels with the user's next
words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.errata import Front
from growbox_tui.agent.events import Notice, RuleOutcome, RulesChanged, RuleView
from growbox_tui.agent.messages import Part, Text
from growbox_tui.agent.pace import budget
from growbox_tui.agent.pointing import point, point_no_more
from growbox_tui.agent.standing import rules_in
from growbox_tui.agent.stated_rules import stated
from growbox_tui.agent.window_view import show_window
from memory.context.render import minute, render
from memory.tokens import estimate
from memory.types import Node, Rule, RuleAdded

SCHEME = "mem://"
NO_ROOM = "Pins take half of what the prompt has for memories; some wait until others are unpinned."

Source = Literal["stated", "steered"]


def rule_views(talk: Conversation) -> tuple[RuleView, ...]:
    """The rules, and whether each stands in front of the conversation."""
    epoch = talk.window.epoch
    standing = {*talk.errata.stands.rules, *(rules_in(epoch) if epoch else ())}
    return tuple(
        RuleView(rule.id, rule.text, rule.source, rule.text in standing) for rule in talk.rules
    )


def show_standing(talk: Conversation, before: tuple[RuleView, ...]) -> None:
    """Tell where rules stand after an epoch's end, where that is not as ``before``."""
    if (now := rule_views(talk)) != before:
        talk.publish(RulesChanged(now))


async def add_rule(talk: Conversation, text: str, source: Source = "stated") -> Rule | None:
    """Keep a rule, and tell what became of it; the rule, or ``None`` where it was refused."""
    added = await talk.mind.add_rule(talk.window.session, text, source)
    talk.rules = added.rules
    _told(talk, _words(added), added.outcome)
    return added.rule


async def keep_spoken(talk: Conversation, text: str, source: Source) -> None:
    """Keep a rule that the user has just said in the conversation, where the model has read it:
    no note need say it again."""
    before = {rule.id: rule.text for rule in talk.rules}
    rule = await add_rule(talk, text, source)
    told = talk.errata.told
    if rule is not None:
        # What was merged into it is said by it as well.
        others = [text for text in told.rules if text not in (before.get(rule.id), rule.text)]
        await _told_front(talk, replace(told, rules=(*others, rule.text)))


async def keep_stated(talk: Conversation, text: str) -> None:
    """Keep the rules that the user's own words state."""
    for sentence in stated(text):
        await keep_spoken(talk, sentence, "stated")


async def edit_rule(talk: Conversation, number: int, text: str) -> None:
    """Change a rule's words. Raises ``LookupError`` for an unknown one."""
    edited = await talk.mind.edit_rule(talk.window.session, number, text)
    talk.rules = edited.rules
    if edited.rule is None:
        _told(talk, edited.why, "refused")
    else:
        _told(talk, f"The rule was changed: {edited.rule.text}", "changed")


async def drop_rule(talk: Conversation, number: int) -> None:
    """Take a rule back. Raises ``LookupError`` for an unknown one."""
    before = {rule.id: rule.text for rule in talk.rules}
    talk.rules = await talk.mind.drop_rule(talk.window.session, number)
    _told(talk, f"No rule any more: {before.get(number, number)}", "dropped")


def _words(added: RuleAdded) -> str:
    if added.rule is None:
        return added.why
    if added.outcome == "merged":
        return f"A rule says so already: {added.rule.text}"
    return f"Kept as a rule: {added.rule.text}"


def _told(talk: Conversation, words: str, outcome: RuleOutcome) -> None:
    talk.publish(RulesChanged(rule_views(talk), words, outcome))


async def pin(talk: Conversation, address: str) -> None:
    """Keep a memory before the model until it is unpinned. Raises ``LookupError`` for an address
    under which nothing is remembered."""
    node = await _node(talk, address)
    await talk.mind.pin(talk.window, node.id)
    await point(talk, node.id)
    others = [await talk.mind.refer(SCHEME + name) for name in talk.window.pinned]
    waiting = [other for other in others if other and not talk.window.holds(other.id)]
    sizes = (estimate(render(other, talk.limits.pin_tokens)) for other in waiting)
    if sum(sizes) > room_for_pins(talk):
        talk.publish(Notice("warning", NO_ROOM))
    show_window(talk)


async def unpin(talk: Conversation, address: str) -> None:
    """Let a memory go as any other does. Raises ``LookupError``."""
    node = await _node(talk, address)
    await talk.mind.unpin(talk.window, node.id)
    await point_no_more(talk, node.id)
    show_window(talk)


async def drop(talk: Conversation, address: str) -> None:
    """Let a memory leave the prompt at the epoch's end, unless it is found again before. Raises
    ``LookupError`` for one that does not stand there."""
    node = await _node(talk, address)
    if node.id not in talk.window.remembered and node.id not in talk.window.pinned:
        raise LookupError(f"{node.address} is no memory that stands before the model")
    await talk.mind.evict(talk.window, node.id)
    show_window(talk)


async def remember(talk: Conversation, text: str) -> str:
    """Keep words for ever, and put them before the model with the user's next words. Their
    address."""
    node = await talk.mind.remember(talk.node("user", text, talk.window.turns, "note"))
    talk.waiting = (*talk.waiting, node.id)
    await talk.keep("waiting", list(talk.waiting))
    return node.address


async def _node(talk: Conversation, address: str) -> Node:
    node = await talk.mind.refer(address)
    if node is None:
        raise LookupError(f"nothing is remembered under {address}")
    return node


async def forced(talk: Conversation) -> tuple[list[Part], list[str]]:
    """What goes into the next user message whatever recall finds: notes that wait, and pinned
    memories that stand nowhere in the prompt, as far as there is room for pins; and the ids of
    both."""
    parts: list[Part] = []
    ids: list[str] = []
    left = room_for_pins(talk)
    for name in dict.fromkeys([*talk.waiting, *talk.window.pinned]):
        node = None if talk.window.holds(name) else await talk.mind.refer(SCHEME + name)
        if node is None:
            continue
        body = render(node, talk.limits.pin_tokens)
        if name not in talk.waiting:
            if estimate(body) > left:
                continue
            left -= estimate(body)
        parts.append(Text(body))
        talk.labels[name] = (" ".join(node.text[:2_000].split())[:80], minute(node.at))
        ids.append(name)
    return parts, ids


def room_for_pins(talk: Conversation) -> int:
    """Estimated tokens that may still be pinned: an epoch's end keeps half of a region of pins, and
    more of them would be put before the model anew in every turn."""
    pinned = set(talk.window.pinned)
    standing = sum(tokens for node, _, _, tokens in talk.window.hottest() if node in pinned)
    return budget(talk).region_high // 2 - standing


async def delivered(talk: Conversation, front: Front) -> None:
    """A message that tells of this ``front``, and shows what waited, is on disk: none of it is told
    again. What came while it was written waits for the next one."""
    waiting = tuple(name for name in talk.waiting if not talk.window.holds(name))
    if waiting != talk.waiting:
        talk.waiting = waiting
        await talk.keep("waiting", list(waiting))
    if talk.errata.told != front:
        await _told_front(talk, front)


async def _told_front(talk: Conversation, front: Front) -> None:
    talk.errata = replace(talk.errata, told=front)
    await talk.keep("errata", talk.errata.to_plain())
