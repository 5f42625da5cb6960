from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growbox_tui.agent.forecast import Forecast, Settled
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.ledger_file import from_plain, to_plain
from growbox_tui.agent.messages import Message, Text, Thinking, Usage, message_to_json
from growbox_tui.agent.prompt import Block, Prompt, lay_out
from growbox_tui.agent.scale import Scale
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
EXACT = Scale.of(1.0)
"""Worth whole tokens where texts are hundreds of letters: 27 for each, and 3 for the text."""


LETTERS = str.maketrans("0123456789.", "abcdefghij ")
"""A digit or a sign is worth another part of a token."""


def words(tokens: int, name: str) -> str:
    """A text of about so many tokens, and exactly so many by the usual scale."""
    return f"{name.translate(LETTERS)} ".ljust(max(1, tokens // 27) * 100, "x")


def item(name: str, tokens: int, *, first: bool = True, segment: int = 0) -> Item:
    """An item of the region. One that goes on with a segment has a letter less, for the newline
    in front of it."""
    body = words(tokens, name)
    return Item(name, body if first else body[:-1], tokens, segment=segment)


@dataclass
class Talk:
    """A conversation with a provider, and a ledger that only reads what that reports."""

    rules: CacheRules
    epoch: Epoch = field(
        default_factory=lambda: Epoch(
            1, (words(27, "tool"),), (words(27, "s"), words(27, "hands")), (), 1, ""
        )
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

    def say(self, role: str, tokens: int = HIGH, parts: int = 1) -> Message:
        self.count += 1
        said = tuple(Text(words(tokens // parts, f"{self.count}.{part}")) for part in range(parts))
        message = Message(role, said)  # type: ignore[arg-type]
        body = message_to_json(message)
        entry = Entry(self.count, self.turn, role, body, tokens, None, ())  # type: ignore[arg-type]
        self.entries.append(entry)
        return message

    def prompt(self) -> Prompt:
        return lay_out(self.epoch, self.entries, turn=self.turn, with_tools=True)

    def pieces(self, prompt: Prompt) -> list[tuple[str, int]]:
        return [(block.content, self.weigh(block)) for block in prompt.blocks]

    def weigh(self, block: Block) -> int:
        """What the provider counts for a block."""
        return round(EXACT.tokens(block.makeup))

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
            said = (block.content, self.weigh(block))
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
            item(f"line {number} {at}", segment // len(left), first=at == 0)
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
                body = message_to_json(Message("user", (Text(words(50, f"edited {talk.now}")),)))
                talk.entries[at] = replace(talk.entries[at], body=body)
            case "back" if before is not None:
                talk.epoch, talk.entries = before[0], list(before[1])
            case "tools":
                talk.epoch = replace(
                    talk.epoch, tools=(*talk.epoch.tools, words(27, f"tool {talk.now}"))
                )
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


@given(st.sampled_from(EVERY), STEPS, st.lists(st.booleans(), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_what_unfinished_requests_left_is_never_promised_and_never_a_fault(
    rules: CacheRules, steps: list[tuple[object, ...]], reached: list[bool]
) -> None:
    talk = Talk(rules)
    talk.say("user", 600)
    for at, step in enumerate(steps):
        if step[0] in ("ask", "same"):
            talk.fail(reached=reached[at % len(reached)])
            talk.say("user", 400)
            asked = talk.ask(reply=100)
            assert asked.forecast.tokens <= asked.read <= asked.forecast.most
            assert asked.settled.kind != "provider"
            if asked.settled.kind == "surplus":
                assert "not finished" in asked.settled.cause
        elif step[0] == "wait":
            talk.now += float(step[1])  # type: ignore[arg-type]
        elif step[0] == "resume":
            talk.resume()
        elif step[0] == "advance" and len(talk.entries) > 3:
            talk.advance(2)


class Uneven(Talk):
    """A provider that counts each text by a measure of its own, as tokenizers do."""

    most = 40
    """Hundredths by which texts of one length may differ."""

    def weigh(self, block: Block) -> int:
        return max(1, super().weigh(block) * (100 + sum(block.content.encode()) % self.most) // 100)


@pytest.mark.parametrize("rules", [PREFIX, MARKS, BREAKPOINTS, IMPLICIT, UNITS, SLOT, PLAIN_SLOT])
def test_what_ends_where_a_report_told_the_size_is_forecast_to_the_token(rules: CacheRules) -> None:
    talk = Uneven(rules)
    talk.extra = 3 if rules.kind == "marks" else 0
    talk.say("user", 3_000)
    asked = []
    for tokens in (700, 50, 1_500, 300, 900):
        asked.append(talk.ask(reply=tokens))
        talk.say("tool", tokens)
    talk.resume()
    asked.append(talk.ask())
    assert all(each.forecast.tokens == each.read > 0 for each in asked[1:])
    assert all(each.settled.kind in ("", "step") for each in asked[1:])


@pytest.mark.parametrize("rules", [MARKS, BREAKPOINTS, IMPLICIT, UNITS, SLOT, PLAIN_SLOT])
def test_a_boundary_whose_size_was_only_estimated_is_told_as_such_or_agrees(
    rules: CacheRules,
) -> None:
    talk = Uneven(rules)
    talk.most = 15
    talk.epoch = replace(talk.epoch, tools=("t" * 9_000,), system=("s" * 9_000, "h", "rules" * 99))
    talk.say("user", 900)
    for number in range(1, 60):
        asked = talk.ask(reply=300)
        talk.say("tool", 200 + number * 37 % 900)
        assert abs(asked.settled.predicted - asked.read) <= asked.total * 0.02
        assert asked.settled.kind in ("", "first", "epoch", "marks", "step", "estimate")
        apart = abs(asked.settled.predicted - asked.read) > max(rules.step, asked.total // 100)
        assert (asked.settled.kind == "estimate") == apart
        if number % 12 == 0:
            talk.advance(4, 1_500)


def test_a_place_that_was_read_once_is_known_to_the_token_from_then_on() -> None:
    talk = Uneven(MARKS)
    talk.epoch = replace(talk.epoch, system=("s" * 9_000, "h"))
    talk.say("user", 900)
    talk.ask(reply=100)
    edited = talk.entries[0]
    reads = []
    for number in range(3):
        body = message_to_json(Message("user", (Text(words(50, f"edited {number}")),)))
        talk.entries = [replace(edited, body=body), *talk.entries[1:]]
        reads.append(talk.ask())
    assert reads[1].forecast.tokens == reads[1].read > 0
    assert reads[2].forecast.tokens == reads[2].read


class Head(Talk):
    """A provider to which the head in front of the talk is larger than it looks, or smaller."""

    head = 90
    """What it counts for the system text."""

    def weigh(self, block: Block) -> int:
        return self.head if block.segment == "system" else super().weigh(block)


@pytest.mark.parametrize("letters, kind", [(1_700, "estimate"), (1_500, "surplus")])
def test_a_head_that_was_taken_for_less_than_the_minimum_is_learned_when_it_is_served(
    letters: int, kind: str
) -> None:
    talk = Head(MARKS)
    talk.head = 485
    talk.epoch = replace(talk.epoch, system=("s" * letters,))
    talk.say("user", 900)
    talk.ask(reply=900)
    asked = []
    for number in range(3):
        talk.entries = []
        talk.say("user", 900 + number)
        asked.append(talk.ask())
    first, *later = asked
    assert first.read > 512 > first.forecast.tokens == 0
    assert first.settled.kind == kind
    assert "tokens more were served than" in first.settled.cause
    assert all(each.forecast.tokens == each.read > 512 for each in later)
    assert all(each.settled.kind != "estimate" for each in later)


def test_a_head_that_was_taken_for_more_than_the_minimum_is_no_fault_of_the_provider() -> None:
    talk = Head(MARKS)
    talk.head = 475
    talk.epoch = replace(talk.epoch, system=("s" * 1_810,))
    talk.say("user", 900)
    talk.ask(reply=900)
    talk.entries = []
    talk.say("user", 900)
    asked = talk.ask()
    assert asked.forecast.tokens > 512 and asked.read == 0
    assert asked.settled.kind == "estimate"


@pytest.mark.parametrize("share", [85, 90])
def test_a_provider_that_serves_a_tenth_less_than_was_estimated_is_named(share: int) -> None:
    talk = asked_twice(MARKS)
    talk.epoch = replace(talk.epoch, system=(words(9_000, "s"), "h"))
    talk.ask()
    talk.entries = []
    talk.say("user", 900)
    prompt = talk.ledger.marked(talk.prompt())
    forecast = talk.ledger.predict(prompt, talk.now)
    usage = Usage(forecast.total, 1, forecast.tokens * share // 100, 0)
    settled = talk.ledger.settle(prompt, forecast, usage)
    assert forecast.tokens > 9_000
    assert settled.kind == "provider"


# ---- every class of a shortfall ----------------------------------------------------------------


def asked_twice(rules: CacheRules, tokens: int = 3_000) -> Talk:
    talk = Talk(rules)
    talk.say("user", tokens)
    talk.ask(reply=200)
    talk.say("tool", tokens)
    talk.ask(reply=200)
    talk.say("user", 300)
    return talk


def told(talk: Talk) -> tuple[str, str]:
    """Class and cause of one more request, the same before and after it."""
    asked = talk.ask()
    assert (asked.forecast.kind, asked.forecast.cause) == (asked.settled.kind, asked.settled.cause)
    return asked.settled.kind, asked.settled.cause


def test_the_first_request_misses_nothing() -> None:
    talk = Talk(MARKS)
    talk.say("user")
    assert told(talk) == ("first", "")


def test_a_prompt_that_only_grew_misses_nothing() -> None:
    assert told(asked_twice(MARKS)) == ("", "")


def test_changed_bytes_within_an_epoch_are_told_with_their_place() -> None:
    talk = asked_twice(MARKS)
    body = message_to_json(Message("user", (Text(words(50, "other")),)))
    talk.entries[0] = replace(talk.entries[0], body=body)
    assert told(talk) == (
        "edit",
        "bytes changed at block 4, in turn; 3,192 tokens that were sent before stand behind it",
    )


def test_a_new_epoch_is_told_as_such() -> None:
    talk = asked_twice(MARKS)
    talk.advance(4)
    kind, cause = told(talk)
    assert kind == "epoch"
    assert cause.startswith("its bytes differ from block 4 on, in region; ")


def test_other_tools_are_a_setting_even_where_an_epoch_began_with_them() -> None:
    talk = asked_twice(MARKS)
    talk.epoch = replace(talk.epoch, number=2, tools=(words(27, "another"),))
    kind, cause = told(talk)
    assert (kind, cause.partition(";")[0]) == ("setting", "the tools changed")


def test_rules_that_changed_within_an_epoch_are_a_setting() -> None:
    talk = asked_twice(MARKS)
    talk.epoch = replace(talk.epoch, system=(*talk.epoch.system, words(27, "rules")))
    assert told(talk)[0] == "setting"


def test_a_pause_that_outlasts_the_entries_is_told_with_its_length() -> None:
    talk = asked_twice(MARKS)
    talk.now += 7 * 60
    assert told(talk) == ("expiry", "nothing was asked for 7 min, and entries live 5 min")


def test_a_slot_that_another_prompt_took_is_told_as_expired() -> None:
    talk = asked_twice(SLOT)
    epoch, entries = talk.epoch, list(talk.entries)
    talk.advance(1)
    talk.ask()
    talk.epoch, talk.entries = replace(epoch, number=3), entries
    kind, cause = told(talk)
    assert kind == "expiry"
    assert "took the one slot" in cause


def test_what_no_mark_was_set_for_is_told_as_marks() -> None:
    talk = asked_twice(IMPLICIT)
    parts = [item(f"line {at}", 800, segment=at) for at in (1, 2)]
    talk.epoch = replace(talk.epoch, number=2, items=tuple(parts))
    talk.ask()
    later = (*parts, item("line 3", 800, segment=3))
    talk.epoch = replace(talk.epoch, number=3, items=later)
    talk.entries = talk.entries[-1:]
    kind, cause = told(talk)
    assert kind == "marks"
    assert cause.startswith("no earlier request asked for an entry there")


def test_a_prefix_at_which_no_request_ended_is_told_as_marks() -> None:
    talk = Talk(UNITS)
    talk.say("user", 3_000)
    talk.say("user", 900)
    talk.ask()
    del talk.entries[1]
    kind, cause = told(talk)
    assert kind == "marks"
    assert "only what ends where a request or reply ended is served" in cause


def test_a_cache_that_is_none_is_told() -> None:
    assert told(asked_twice(NOTHING)) == ("marks", "nothing is cached there")


def test_an_entry_out_of_the_marks_sight_is_told_as_look_back() -> None:
    # Without the mark of the request before, which a ledger repeats, the newest must look back.
    talk = asked_twice(MARKS)
    for _ in range(25):
        talk.say("tool", 10)
    talk.ledger.newest = ""
    talk.ledger.rules = replace(MARKS, max_marks=2)
    talk.provider.rules = talk.ledger.rules
    kind, cause = told(talk)
    assert kind == "look-back"
    assert "20 blocks" in cause


def test_a_prefix_below_the_minimum_is_told() -> None:
    for rules in (MARKS, PREFIX, BREAKPOINTS):
        talk = Talk(rules)
        talk.say("user", 100)
        talk.ask(reply=50)
        talk.say("user", 100)
        assert told(talk) == (
            "minimum",
            f"less than {rules.min_tokens:,} tokens are not cached",
        )


def test_rounding_is_told_where_it_takes_more_than_a_hundredth() -> None:
    talk = Talk(PREFIX)
    talk.say("user", 1_280)
    talk.ask()
    talk.say("user", 100)
    assert told(talk) == ("step", "served in steps of 128 tokens")
    long = asked_twice(PREFIX, 30_000)
    assert told(long) == ("", "")


def test_a_provider_that_forgot_is_told() -> None:
    talk = asked_twice(MARKS)
    talk.provider.stored.clear()
    asked = talk.ask()
    assert asked.forecast.kind == ""
    assert asked.settled.kind == "provider"
    assert "served nothing" in asked.settled.cause


def test_a_provider_that_served_less_is_told_with_the_tokens() -> None:
    talk = asked_twice(MARKS)
    for prefix in [prefix for prefix in talk.provider.stored if len(prefix) > 5]:
        del talk.provider.stored[prefix]
    asked = talk.ask()
    assert asked.settled.kind == "provider"
    assert "tokens less than its rules promise" in asked.settled.cause


def test_more_than_was_forecast_is_a_surplus_and_no_fault() -> None:
    talk = asked_twice(MARKS)
    talk.ledger.held.entries.clear()
    asked = talk.ask()
    assert asked.settled.kind == "surplus"
    assert "more were served than forecast" in asked.settled.cause


def test_a_provider_that_is_silent_is_told_and_what_it_holds_is_forecast_still() -> None:
    talk = Talk(PREFIX)
    talk.say("user", 3_000)
    talk.ask(report=False)
    talk.say("user", 300)
    asked = talk.ask(report=False)
    assert asked.settled.kind == "not reported"
    assert asked.settled.predicted == asked.read > 0
    talk.ledger.rules = replace(PREFIX, reports=False)
    assert talk.ask(report=False).settled.cause.endswith("it never does")


def test_another_model_knows_nothing_of_the_prompt() -> None:
    talk = asked_twice(MARKS)
    prompt = talk.prompt()
    forecast = Ledger(PREFIX).predict(prompt, talk.now, other="a/b")
    assert (forecast.tokens, forecast.kind, forecast.bound) == (0, "model", 0)
    assert "changed from a/b" in forecast.cause


# ---- marks -------------------------------------------------------------------------------------


def test_four_marks_at_most_and_the_third_is_the_one_before() -> None:
    talk = Talk(MARKS)
    talk.epoch = replace(talk.epoch, items=(item("line", 2_000, segment=1),))
    talk.say("user")
    newest = None
    for number in range(40):
        asked = talk.ask(reply=100)
        prompt = asked.prompt
        places = [prompt.position(mark) for mark in prompt.request.marks]
        assert len(places) <= 4
        assert places[-1] == len(prompt.blocks) - 1
        assert places[:2] == [2, 3]
        if number:
            assert prompt.blocks[places[-2]].digest == newest
        newest = prompt.blocks[places[-1]].digest
        talk.say("tool", 500, parts=1 + number % 30)


def test_segments_of_earlier_epochs_stay_readable_where_nothing_looks_back() -> None:
    talk = asked_twice(BREAKPOINTS)
    talk.advance(2, 3_000)
    talk.ask(reply=100)
    talk.say("user", 200)
    talk.say("user", 200)
    talk.advance(2, 900)
    asked = talk.ask()
    assert asked.read > 3_000
    assert asked.forecast.tokens == asked.read


def test_long_entries_are_asked_for_once_pauses_made_them_pay_and_outlive_the_short() -> None:
    talk = Talk(MARKS)
    talk.epoch = replace(talk.epoch, system=("s" * 20_000, "h"))
    talk.say("user")
    written = []
    for _ in range(5):
        written.append(talk.ask(wait=400, reply=100).settled.long_written)
        talk.say("user", 300)
    assert written[:3] == [0, 0, 0]
    assert written[3] > 5_000
    talk.now += 1_200
    asked = talk.ask()
    assert asked.read > 5_000
    assert asked.forecast.tokens == asked.read


def test_a_short_entry_that_is_read_under_a_long_mark_stays_short() -> None:
    talk = Talk(MARKS)
    talk.epoch = replace(talk.epoch, system=("s" * 20_000, "h"))
    talk.say("user")
    talk.ask()
    talk.ledger.gaps = [400.0, 400.0]
    asked = talk.ask(wait=5)
    assert any(mark.long for mark in asked.prompt.request.marks)
    assert asked.settled.long_written == 0
    later = talk.ask(wait=400)
    assert later.forecast.tokens == later.read == 0


# ---- the voice's own forecast, and the file ------------------------------------------------------


def test_a_voice_that_foresees_is_believed_to_the_token() -> None:
    talk = asked_twice(SLOT)
    prompt = talk.prompt()
    total = prompt.tokens * 2 + 7
    forecast = talk.ledger.predict(prompt, talk.now, told=(total, 41))
    assert (forecast.tokens, forecast.total) == (41, total)
    assert sum(segment.tokens for segment in forecast.segments) == pytest.approx(total, abs=4)
    settled = talk.ledger.settle(prompt, forecast, Usage(total, 5, 41))
    assert settled.predicted == 41


def test_segments_are_the_whole_prompt_and_the_hit_ones_what_is_forecast() -> None:
    talk = asked_twice(MARKS)
    body = message_to_json(Message("user", (Text(words(50, "other")),)))
    talk.entries[2] = replace(talk.entries[2], body=body)
    forecast = talk.ask().forecast
    by_state = {
        state: sum(each.tokens for each in forecast.segments if each.state == state)
        for state in ("hit", "broken", "new")
    }
    assert by_state["hit"] == forecast.tokens
    assert by_state["hit"] + by_state["broken"] == forecast.bound
    assert sum(by_state.values()) == forecast.total


def test_a_ledger_on_file_is_bounded_and_holds_the_newest_prompt_whole() -> None:
    talk = Talk(PREFIX)
    talk.say("user", 2_000)
    for number in range(20):
        talk.ask(wait=1)
        for _ in range(60):
            talk.say("tool", 20)
        if number % 5 == 4:
            talk.advance(2, 2_000)
    assert len(talk.ledger.known) > 1_000
    assert len(json.dumps(to_plain(talk.ledger))) < 60_000
    talk.resume()
    asked = talk.ask()
    assert asked.forecast.tokens == asked.read > 0


def test_a_file_of_another_format_begins_a_new_ledger() -> None:
    for plain in (None, [], {"format": 99}):
        assert from_plain(plain, MARKS, 1.3) == Ledger(MARKS, Scale.of(1.3))


def test_an_empty_prompt_is_forecast_as_nothing() -> None:
    prompt = lay_out(Epoch(1, (), (), (), 1, ""), [], turn=1, with_tools=True)
    for rules in EVERY:
        ledger = Ledger(rules)
        forecast = ledger.predict(ledger.marked(prompt), 1.0)
        assert (forecast.tokens, forecast.total, forecast.segments) == (0, 0, ())
        assert ledger.settle(prompt, forecast, Usage()).predicted == 0


def test_reasoning_that_does_not_come_back_is_no_part_of_the_next_prompt() -> None:
    for rules in (MARKS, UNITS, SLOT):
        talk = Talk(rules)
        talk.say("user", 3_000)
        prompt = talk.ledger.marked(talk.prompt())
        forecast = talk.ledger.predict(prompt, talk.now)
        bill = serve(talk.provider, prompt, talk.pieces(prompt), talk.now, None)
        said = Message("assistant", (Thinking("long thoughts", "m"), Text(words(50, "short"))))
        talk.ledger.settle(prompt, forecast, Usage(bill.total, 2_000, 0, bill.write, 0), said)
        talk.entries.append(Entry(9, 1, "assistant", message_to_json(said), 40, None, ()))
        talk.say("user", 300)
        asked = talk.ask()
        assert asked.forecast.tokens == asked.read > 0
        assert asked.settled.kind in ("", "step")


def test_a_reply_that_comes_back_shorter_than_it_was_paid_for_spoils_no_size() -> None:
    talk = Talk(MARKS)
    talk.say("user", 3_000)
    prompt = talk.ledger.marked(talk.prompt())
    forecast = talk.ledger.predict(prompt, talk.now)
    bill = serve(talk.provider, prompt, talk.pieces(prompt), talk.now, None)
    said = talk.say("assistant", 50)
    talk.ledger.settle(prompt, forecast, Usage(bill.total, 2_000, 0, bill.write), said)
    talk.say("user", 300)
    asked = talk.ask()
    assert asked.settled.predicted == asked.read
    talk.say("user", 300)
    asked = talk.ask()
    assert asked.forecast.tokens == asked.read
    assert asked.forecast.total == asked.total


@pytest.mark.parametrize("rules", EVERY)
def test_what_was_forgotten_in_front_of_a_known_prefix_breaks_no_forecast(
    rules: CacheRules,
) -> None:
    talk = asked_twice(rules)
    for digest in list(talk.ledger.held.seen)[:3]:
        del talk.ledger.held.seen[digest]
    talk.now += 200_000
    asked = talk.ask()
    assert asked.forecast.tokens <= asked.read


@pytest.mark.parametrize("rules", [PREFIX, MARKS, BREAKPOINTS, IMPLICIT, UNITS, SLOT])
def test_a_request_whose_reply_had_begun_was_read_and_so_was_cached(rules: CacheRules) -> None:
    talk = asked_twice(rules)
    prompt = talk.ledger.marked(talk.prompt())
    forecast = talk.ledger.predict(prompt, talk.now)
    serve(talk.provider, prompt, talk.pieces(prompt), talk.now, None)
    talk.ledger.abandon(prompt, forecast, read=True)
    talk.say("user", 500)
    asked = talk.ask()
    assert asked.forecast.tokens == asked.read > 6_000
    assert asked.settled.kind in ("", "step")
