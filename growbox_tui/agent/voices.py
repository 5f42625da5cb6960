"""Voices: changing the model of a conversation, and what that costs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import ModelChanged, Notice
from growbox_tui.agent.money import prices
from growbox_tui.agent.room import alive
from growbox_tui.models.cache_rules import rules_of
from growbox_tui.models.protocol import Model

LASTING_S = 86_400.0
"""Seconds of an entry's life from which on there is no need to hurry back."""


class Voices:
    """Opens the voice that was asked for, and lets go of the ones before it.

    A voice that was left may still be speaking, so it is closed only when nothing runs.
    """

    def __init__(self, talk: Conversation, open_model: Callable[[str], Awaitable[Model]]) -> None:
        self._talk = talk
        self._open = open_model
        self._left: list[Model] = []

    async def use(self, name: str) -> None:
        """Speak through another model from the next request on. Raises ``ModelError``."""
        talk = self._talk
        model = await self._open(name)
        self._left.append(talk.model)
        warning = left_behind(talk, model)
        await talk.use(model)
        await talk.mind.set_model(talk.window.session, name)
        sizes = model.facts.context, talk.limit
        talk.publish(ModelChanged(model.name, "you chose it", *sizes))
        if warning:
            talk.publish(Notice("warning", warning))

    async def close_left(self) -> None:
        """Let go of the voices that were left."""
        while self._left:
            await self._left.pop().close()


def left_behind(talk: Conversation, model: Model) -> str:
    """What a change to this model costs once, in words; empty where nothing is cached, and where
    the model has a cache of this conversation itself."""
    ledger, other = talk.ledgers.get(talk.model.name), talk.ledgers.get(model.name)
    now = talk.now()
    if model.name == talk.model.name or ledger is None or not alive(ledger, now):
        return ""
    if other is not None and alive(other, now):
        return ""
    rules, tokens = ledger.rules, talk.real(talk.window.tokens)
    if tokens < rules.min_tokens:
        return ""
    cost = _once(model, tokens)
    words = f"The cache of {tokens:,} tokens does not follow: they are read anew once{cost}."
    if rules.kind == "slot":
        return words
    left = rules.ttl_s - (now - (ledger.past.at or now))
    if rules.ttl_s >= LASTING_S:
        return f"{words} Switching back finds it again."
    minutes = max(1, round(left / 60))
    span = "a minute" if minutes == 1 else f"{minutes} minutes"
    return f"{words} Switching back within {span} finds it again."


def _once(model: Model, tokens: int) -> str:
    """What so many tokens cost that no cache of this model holds; empty where it is not known."""
    price = prices(model.facts, rules_of(model))
    each = price.input if price.write is None else price.write
    if not each:
        return ""
    cents = each * tokens * 100
    return f", for about ${cents / 100:.2f}" if cents >= 1 else ", for less than a cent"
