"""Accounting: what a request was forecast to be served, what was reported, and what it cost.

Around each request: ``expect`` lays the prompt out, asks for cache entries and tells the forecast;
``account`` compares it with the report. Both are one row of the memory file, from which the
session's story is told afterwards. There is a ledger for each model that was asked.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

from growbox_tui.agent import heads
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import PromptBuilt, UsageReported
from growbox_tui.agent.expected import Expected
from growbox_tui.agent.forecast import Settled
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.ledger_file import from_plain, thinned, to_plain
from growbox_tui.agent.messages import Usage
from growbox_tui.agent.money import Bill, bill, prices
from growbox_tui.agent.prompt import lay_out
from growbox_tui.agent.scale import Scale
from growbox_tui.models.cache_rules import DAY_S, rules_of
from growbox_tui.models.protocol import Foresees, Model, Reply

RATIO_STEP = 0.05
"""A change of the ratio below this share is not worth a write."""

THIN_EVERY = 50
"""Requests to a model of a session between looks at the ledgers of other sessions."""
THIN = 3_000
"""Characters of a ledger on file that is not worth thinning; most hold tens of thousands."""


async def ledger_of(talk: Conversation, model: Model) -> Ledger:
    """What is known of a model's cache in this session; read from the file at first."""
    ledger, rules = talk.ledgers.get(model.name), rules_of(model)
    if ledger is None:
        kept = await talk.mind.kept(_key(talk, model))
        ledger = talk.ledgers[model.name] = from_plain(kept, rules, talk.learned.ratio)
        if kept is None and (scale := await talk.mind.kept(_scale_key(model))) is not None:
            ledger.scale = Scale.from_plain(scale)
        if heads.shared(ledger):
            heads.take(ledger, await talk.mind.kept(_heads_key(model), {}))
    ledger.rules = rules  # A server may have refused a cache field meanwhile.
    return ledger


async def expect(talk: Conversation, model: Model, turn: int) -> Expected:
    """Lay the next request out, and tell what its cache should serve."""
    epoch = talk.window.epoch
    assert epoch is not None, "a request needs an epoch to stand in"
    ledger = await ledger_of(talk, model)
    plain = lay_out(
        epoch, talk.window.entries, turn=turn, with_tools=talk.with_tools, wire=model.name
    )
    prompt = ledger.marked(plain)
    request = prompt.request_for(talk.window.session)
    told = await model.foresee(request) if isinstance(model, Foresees) else None
    other = talk.spoke if talk.spoke != model.name else ""
    forecast = ledger.predict(prompt, talk.now(), other=other, told=told)
    talk.requests += 1
    talk.publish(
        PromptBuilt(
            talk.requests,
            epoch.number,
            forecast.segments,
            forecast.total,
            forecast.tokens,
            forecast.cause,
            forecast.bound,
            forecast.kind,
        )
    )
    return Expected(model, prompt, request, ledger, forecast, talk.requests, epoch.number)


async def account(talk: Conversation, expected: Expected, reply: Reply, seconds: float) -> None:
    """Keep a request for the next forecast and for the session's story; tell what it came to."""
    said, model = reply.usage or Usage(), expected.model
    settled = expected.ledger.settle(
        expected.prompt,
        expected.forecast,
        said,
        reply.message,
        again=expected.again,
        read=expected.read,
    )
    if talk.model is model:
        await calibrate(talk, said, expected.prompt.tokens)
    came = _bill(expected, said, settled)
    talk.cost = None if talk.cost is None or came.cost is None else talk.cost + came.cost
    await _keep(talk, expected, said, seconds, settled, came)


async def unreported(talk: Conversation, expected: Expected, seconds: float) -> None:
    """Keep and tell a request that ended before the provider said what it took: it may have
    cost, and may have been cached."""
    forecast = expected.forecast
    read = expected.begun or expected.read
    expected.ledger.abandon(expected.prompt, forecast, read=read)
    cause = "it ended before the provider reported"
    gap = expected.ledger.gap(forecast.at)
    settled = Settled(forecast.tokens, forecast.bound, "not reported", cause, gap)
    await _keep(talk, expected, Usage(), seconds, settled, Bill())


async def pinged(talk: Conversation, expected: Expected, usage: Usage | None, at: float) -> Bill:
    """Account for a request that was sent once more, ``at`` seconds, to keep its cache alive."""
    said, ledger = usage or Usage(), expected.ledger
    forecast = ledger.predict(expected.prompt, at)
    again = replace(expected, forecast=forecast, number=0)
    settled = ledger.settle(expected.prompt, forecast, said)
    came = _bill(again, said, settled)
    await _keep(talk, again, said, 0.0, settled, came)
    return came


async def _keep(
    talk: Conversation,
    expected: Expected,
    said: Usage,
    seconds: float,
    settled: Settled,
    came: Bill,
) -> None:
    """Write a request's row and its ledger, and tell it; a ping, which has no number, is told by
    who sent it."""
    model, session = expected.model, talk.window.session
    report = UsageReported(
        expected.number,
        said.input,
        said.output,
        said.cache_read,
        said.cache_write,
        came.cost,
        round(seconds, 3),
        settled.predicted,
        settled.cause,
        settled.kind,
        settled.bound,
        came.saved,
        model.name,
    )
    kept = await _ledgers(talk, expected)
    if heads.shared(expected.ledger):
        others = await talk.mind.kept(_heads_key(model), {})
        mine = heads.put(expected.ledger, expected.prompt, others)
        if mine is not None:
            kept[_heads_key(model)] = mine
    if expected.number:
        talk.spoke = model.name
        kept[f"spoke:{session}"] = [model.name, expected.number]
    row = _row(expected, report, settled, came)
    await talk.mind.note_request(session, expected.epoch, row, kept)
    if expected.number:
        talk.publish(report)


async def _ledgers(talk: Conversation, expected: Expected) -> dict[str, Any]:
    """The ledgers to write: this one, and as a session begins those in which all has expired in
    any cache, without what has."""
    ledger, before = expected.ledger, expected.forecast.at - DAY_S
    less: dict[str, Any] = {}
    if ledger.past.requests % THIN_EVERY == 1:
        rows = await talk.mind.kept_under("cache:", THIN)
        less = {key: thinned(plain, before) for key, plain in rows.items()}
    mine: dict[str, Any] = {_key(talk, expected.model): to_plain(ledger)}
    if ledger.exact:  # something was reported
        mine[_scale_key(expected.model)] = ledger.scale.to_plain()
    return {key: plain for key, plain in {**less, **mine}.items() if plain is not None}


def _row(expected: Expected, report: UsageReported, settled: Settled, came: Bill) -> str:
    """A request's record: what is told of it, and what the story needs beside that."""
    forecast, read = expected.forecast, report.cache_read
    row = {
        **asdict(report),
        "at": forecast.at,
        "epoch": expected.epoch,
        "estimated": forecast.total,
        "avoidable": None if read is None else max(0, settled.bound - read),
        "lost": came.lost,
        "gap": settled.gap,
        "prices": prices(expected.model.facts, expected.ledger.rules).to_plain(),
        "segments": [[each.name, each.tokens, each.state] for each in forecast.segments],
    }
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


async def recall_requests(talk: Conversation) -> None:
    """Go on counting where an earlier process of this session ended."""
    session = talk.window.session
    spoke = await talk.mind.kept(f"spoke:{session}")
    if spoke is None:
        # Files of an earlier version kept the last request whole.
        old = await talk.mind.kept(f"seen:{session}")
        last = json.loads(old) if isinstance(old, str) else {}
        spoke = [last.get("model", ""), last.get("number", 0)]
    talk.spoke, talk.requests = spoke


async def calibrate(talk: Conversation, said: Usage, estimated: int) -> None:
    """Learn how many of the model's own tokens one estimated token is."""
    if not said.input or not estimated:
        return
    ratio = min(4.0, max(0.25, said.input / estimated))
    if abs(ratio / talk.learned.ratio - 1) > RATIO_STEP:
        await talk.learn(replace(talk.learned, ratio=round(ratio, 3)))


def _bill(expected: Expected, said: Usage, settled: Settled) -> Bill:
    known = prices(expected.model.facts, expected.ledger.rules)
    return bill(known, said, long_written=settled.long_written, bound=settled.bound)


def _key(talk: Conversation, model: Model) -> str:
    return f"cache:{talk.window.session}:{model.name}"


def _scale_key(model: Model) -> str:
    """Where the next session begins with what this one learned of the provider's tokens."""
    return f"scale:{model.name}"


def _heads_key(model: Model) -> str:
    return f"heads:{model.name}"
