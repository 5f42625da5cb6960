"""Accounting: what a request was forecast to be served, what was reported, and what it cost."""

from __future__ import annotations

import json
from dataclasses import replace

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import UsageReported, to_json
from growbox_tui.agent.messages import Usage
from growbox_tui.agent.prompt import Forecast, Prompt, Seen, shortfall
from growbox_tui.models.protocol import Model, ModelFacts

RATIO_STEP = 0.05
"""A change of the ratio below this share is not worth a write."""


async def account(
    talk: Conversation,
    model: Model,
    prompt: Prompt,
    expected: Forecast,
    usage: Usage | None,
    seconds: float,
) -> None:
    """Keep a request for the next forecast and for the session's story; tell what it came to."""
    assert talk.window.epoch is not None
    talk.seen = Seen(model.name, prompt.blocks, talk.requests)
    said = usage or Usage()
    predicted, cause = talk.real(expected.tokens), expected.cause
    if said.input is None or said.cache_read is None:
        cause = cause or "the provider reported no cache figures"
    else:
        predicted, gap = shortfall(expected.tokens, prompt.tokens, said.input, said.cache_read)
        cause = cause or gap
    if talk.model is model:
        await calibrate(talk, said, prompt.tokens)
    cost = price(model.facts, said)
    talk.cost = None if talk.cost is None or cost is None else talk.cost + cost
    report = UsageReported(
        talk.requests,
        said.input,
        said.output,
        said.cache_read,
        said.cache_write,
        cost,
        round(seconds, 3),
        predicted,
        cause,
    )
    line = json.dumps(
        {"model": model.name, "estimated": prompt.tokens, **json.loads(to_json(report))}
    )
    session = talk.window.session
    await talk.mind.note_request(session, talk.window.epoch.number, line)
    await talk.mind.keep(f"seen:{session}", talk.seen.to_json())
    talk.publish(report)


async def calibrate(talk: Conversation, said: Usage, estimated: int) -> None:
    """Learn how many of the model's own tokens one estimated token is."""
    if not said.input or not estimated:
        return
    ratio = min(4.0, max(0.25, said.input / estimated))
    if abs(ratio / talk.learned.ratio - 1) > RATIO_STEP:
        await talk.learn(replace(talk.learned, ratio=round(ratio, 3)))


def unreported(talk: Conversation, expected: Forecast, seconds: float) -> None:
    """Tell of a request that ended before the provider said what it took: it may have cost."""
    cause = "it ended before the provider reported"
    predicted = talk.real(expected.tokens)
    told = UsageReported(
        talk.requests, None, None, None, None, None, round(seconds, 3), predicted, cause
    )
    talk.publish(told)


def price(facts: ModelFacts, usage: Usage) -> float | None:
    """US dollars of one request; ``None`` when a price or a count is not known."""
    if facts.input_price is None or facts.output_price is None:
        return None
    if usage.input is None or usage.output is None:
        return None
    read, write = usage.cache_read or 0, usage.cache_write or 0
    read_price = facts.input_price if facts.cache_read_price is None else facts.cache_read_price
    write_price = facts.input_price if facts.cache_write_price is None else facts.cache_write_price
    fresh = max(0, usage.input - read - write)
    return (
        fresh * facts.input_price
        + read * read_price
        + write * write_price
        + usage.output * facts.output_price
    )
