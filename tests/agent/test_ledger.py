from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from growbox_tui.agent.ledger import Forecast, Ledger, Settled
from growbox_tui.agent.ledger_file import from_plain, to_plain
from growbox_tui.agent.messages import Message, Text, Usage, message_to_json
from growbox_tui.agent.prompt import Prompt, lay_out
from growbox_tui.models.cache_rules import CacheRules
from memory.types import Entry, Epoch, Item
from tests.agent.provider_caches import Provider, serve

PREFIX = CacheRules("prefix", 600, min_tokens=1024, step=128)
MARKS = CacheRules(
    "marks", 300, min_tokens=512, lookback=20, write=1.25, read=0.05, long_ttl_s=3600
)
BREAKPOINTS = CacheRules("marks", 1800, min_tokens=1024, read_marks=80, write=1.25)
IMPLICIT = CacheRules("marks", 1800, min_tokens=1024, max_marks=0, read_marks=80, implicit=True)
UNITS = CacheRules("units", 86_400, caches_reply=True)
SLOT = CacheRules("slot", 1e12, caches_reply=True)
PLAIN_SLOT = CacheRules("slot", 1e12)
NOTHING = CacheRules("none", 0)
EVERY = [PREFIX, MARKS, BREAKPOINTS, IMPLICIT, UNITS, SLOT, PLAIN_SLOT, NOTHING]
HIGH = 1_000
"""Tokens of a middling message here."""


@dataclass
class Talk:
    """A conversation with a provider, and a ledger that only reads what that reports."""

    rules: CacheRules
    factor: float = 1.0
    """The provider's tokens for one of ours."""
    epoch: Epoch = field(
        default_factory=lambda: Epoch(1, ("tool",), ("s" * 20, "about hands"), (), 1, "")
    )
    entries: list[Entry] = field(default_factory=list)
    now: float = 1_000.0
    turn: int = 1
    count: int = 0

    def __post_init__(self) -> None:
        self.provider = Provider(self.rules)
        self.ledger = Ledger(self.rules)
        self.extra = 0
        """Tokens that the provider counts behind the last block."""

    def say(self, role: str, tokens: int = HIGH, text: str = "", parts: int = 1) -> Message:
        self.count += 1
        words = tuple(Text(f"{text or 'words'} {self.count}.{part}") for part in range(parts))
        message = Message(role, words)  # type: ignore[arg-type]
        body = message_to_json(message)
        entry = Entry(self.count, self.turn, role, body, tokens, None, ())  # type: ignore[arg-type]
        self.entries.append(entry)
        return message

    def prompt(self) -> Prompt:
        return lay_out(self.epoch, self.entries, turn=self.turn, with_tools=True)

    def pieces(self, prompt: Prompt) -> list[tuple[str, int]]:
        return [
            (block.content, max(1, round(block.tokens * self.factor))) for block in prompt.blocks
        ]

    def ask(self, *, wait: float = 10, reply: int = 0, report: bool = True) -> Asked:
        """One request; its reply joins the conversation."""
        self.now += wait
        prompt = self.ledger.marked(self.prompt())
        forecast = self.ledger.predict(prompt, self.now)
        pieces = self.pieces(prompt)
        message = None
        said = None
        if reply:
            message = self.say("assistant", reply)
            block = prompt.reply(message)
            said = (block.content, max(1, round(reply * self.factor)))
        bill = serve(self.provider, prompt, pieces, self.now, said)
        usage = Usage(
            bill.total + self.extra,
            said[1] if said else 1,
            bill.read if report else None,
            bill.write if self.rules.kind == "marks" and report else None,
        )
        settled = self.ledger.settle(prompt, forecast, usage, message)
        return Asked(prompt, forecast, settled, bill.read, bill.total)

    def fail(self, *, reached: bool, wait: float = 10) -> Forecast:
        """A request that broke, after or before the provider had read it."""
        self.now += wait
        prompt = self.ledger.marked(self.prompt())
        forecast = self.ledger.predict(prompt, self.now)
        if reached:
            serve(self.provider, prompt, self.pieces(prompt), self.now, None)
        self.ledger.abandon(prompt, forecast)
        return forecast

    def resume(self) -> None:
        """Another process goes on."""
        plain = json.loads(json.dumps(to_plain(self.ledger)))
        self.ledger = from_plain(plain, self.rules, 1.0)

    def advance(self, keep: int = 2, segment: int = 500) -> None:
        """The next epoch: what leaves the tail becomes a segment of the region."""
        number = self.epoch.number + 1
        left = self.entries[: len(self.entries) - keep]
        new = [
            Item(f"{number}:{at}", f"line {number} {at}", max(1, segment // len(left)))
            for at in range(len(left))
        ]
        items = (*self.epoch.items, *(replace(item, segment=number) for item in new))
        self.entries = self.entries[len(left) :]
        self.epoch = replace(self.epoch, number=number, items=items, carried=len(self.entries))


@dataclass
class Asked:
    prompt: Prompt
    forecast: Forecast
    settled: Settled
    read: int
    total: int


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(1, 40), st.integers(50, 3_000)),
        st.tuples(st.just("ask"), st.just(1), st.just(300)),
        st.tuples(st.just("wait"), st.sampled_from([200, 299, 301, 700, 2_000, 4_000, 90_000])),
        st.tuples(st.just("advance"), st.integers(1, 3)),
        st.tuples(st.just("edit"), st.integers(0, 30)),
        st.tuples(st.just("same")),
        st.tuples(st.just("back")),
        st.tuples(st.just("resume")),
        st.tuples(st.just("tools")),
    ),
    min_size=2,
    max_size=25,
)


def run(talk: Talk, steps: list[tuple[object, ...]]) -> list[Asked]:
    """Do the steps; every request in order."""
    asked: list[Asked] = []
    before: tuple[Epoch, list[Entry]] | None = None
    talk.say("user", 600)
    for name, *values in steps:
        match name:
            case "ask":
                parts, tokens = values
                before = (talk.epoch, list(talk.entries))
                asked.append(talk.ask(reply=int(tokens) // 2))  # type: ignore[call-overload]
                talk.say("tool", int(tokens), parts=int(parts))  # type: ignore[call-overload]
            case "same":
                asked.append(talk.ask())
            case "wait":
                talk.now += float(values[0])  # type: ignore[arg-type]
            case "advance" if len(talk.entries) > 3:
                talk.advance(int(values[0]))  # type: ignore[call-overload]
            case "edit":
                at = int(values[0]) % len(talk.entries)  # type: ignore[call-overload]
                body = message_to_json(Message("user", (Text(f"edited {talk.now}"),)))
                talk.entries[at] = replace(talk.entries[at], body=body)
            case "back" if before is not None:
                talk.epoch, talk.entries = before[0], list(before[1])
            case "tools":
                talk.epoch = replace(talk.epoch, tools=(*talk.epoch.tools, f"tool {talk.now}"))
            case "resume":
                talk.resume()
    asked.append(talk.ask())
    return asked


@given(st.sampled_from(EVERY), STEPS)
@settings(max_examples=150, deadline=None)
def test_forecast_and_report_agree_to_the_token_whatever_happens(
    rules: CacheRules, steps: list[tuple[object, ...]]
) -> None:
    for asked in run(Talk(rules), steps):
        assert asked.forecast.tokens == asked.read
        assert asked.settled.predicted == asked.read
        assert asked.settled.kind not in ("provider", "surplus", "not reported")
        assert asked.read <= asked.settled.bound <= asked.total
