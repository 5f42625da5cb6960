"""Ledger: what one model's cache should serve of a prompt, and whether it did.

It knows which prefixes earlier requests left in the provider's cache and how large they are in the
provider's own tokens. From that it forecasts (``predict``), learns from the report (``settle``),
and says why either is less than what was sent before. It never looks at a clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from growbox_tui.agent import measure
from growbox_tui.agent.events import Shortfall
from growbox_tui.agent.forecast import Forecast, Settled
from growbox_tui.agent.marking import long_written, marked, standing_end
from growbox_tui.agent.messages import Message, Usage
from growbox_tui.agent.prompt import Prompt
from growbox_tui.agent.reach import Held, Reach, Sent, asked, leaves, newest_mark, reach, take
from growbox_tui.agent.scale import Scale
from growbox_tui.agent.segments import segments
from growbox_tui.agent.served import last_served
from growbox_tui.agent.shortfalls import Past, Why, foreseen, reported, slack
from growbox_tui.models.cache_marks import pays_long
from growbox_tui.models.cache_rules import CacheRules

MOST_GAPS = 50
"""Pauses between requests that are remembered."""
MOST_TRAILING = 64
"""Tokens that a provider may count behind a mark at the prompt's end: its own frame of a reply."""
FAR_OFF = 4.0
"""Times its doubt by which a size may be wrong that is learned from a surprise: more was served
than forecast, and no more known of than a prefix that seemed too short."""
MOST_OPEN = 8
"""Requests without an end that are remembered."""


@dataclass(slots=True)
class Ledger:
    """One model's cache in one session."""

    rules: CacheRules
    scale: Scale = field(default_factory=lambda: Scale.of(1.0))
    """What the provider's tokens are worth."""
    held: Held = field(default_factory=Held)
    open: list[Sent] = field(default_factory=list)
    """Requests that failed or were stopped: they may have been cached."""
    exact: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    """The blocks that were sent, by content, and their size where it was told, else 0."""
    trailing: int = 0
    """Tokens that the provider counts behind a mark at the prompt's end."""
    newest: str = ""
    """Digest of the block behind which the last request had its newest mark."""
    gaps: list[float] = field(default_factory=list)
    """Seconds between requests, newest last."""
    past: Past = field(default_factory=Past)

    # ---- before a request --------------------------------------------------------------------

    def marked(self, prompt: Prompt) -> Prompt:
        """The prompt, asking for cache entries where they will be read."""
        if self.rules.kind != "marks" or not self.rules.max_marks:
            return prompt
        standing, paused = standing_end(prompt), max(self.gaps, default=0.0) > self.rules.ttl_s
        tokens = round(self._sizes(prompt)[standing]) if paused and standing >= 0 else 0
        lasting = paused and pays_long(self.gaps, tokens, self.rules)
        return marked(prompt, self.rules, previous=self.newest, long_ttl=lasting)

    def predict(
        self, prompt: Prompt, now: float, *, other: str = "", told: tuple[int, int] | None = None
    ) -> Forecast:
        """What should be served of a prompt that is sent now.

        Args:
            prompt: as ``marked`` returned it.
            now: seconds, by the clock by which the requests before were dated.
            other: the model that was asked last in this session, where it was another one.
            told: (whole prompt, served) where the voice foresees that itself.
        """
        ends = self._sizes(prompt, told)
        found, most = self._reach(prompt, ends, now, told)
        share = measure.sent_before(prompt.blocks, ends, self.known)
        bound = max(sum(share), found.tokens)
        past = replace(self.past, other=other)
        kind, cause = foreseen(prompt, ends, found, bound, self.rules, past, now)
        return Forecast(
            segments(prompt.blocks, ends, share, found),
            found.tokens,
            cause,
            kind,
            round(bound),
            self._total(prompt, ends),
            most,
            now,
            told,
        )

    # ---- after it ----------------------------------------------------------------------------

    def abandon(self, prompt: Prompt, forecast: Forecast, *, read: bool = False) -> None:
        """The request failed or was stopped: whether it was cached is not known, unless its reply
        had begun, so that the provider had ``read`` it."""
        if read:
            self._was_read(prompt, self._sizes(prompt, forecast.told), forecast)
        else:
            self.open = [*self.open, leaves(prompt, self.rules, forecast.at, None, -1)][-MOST_OPEN:]

    def _was_read(self, prompt: Prompt, ends: Sequence[float], forecast: Forecast) -> None:
        """Hold what a request left that was read, though its reply never came."""
        found, _ = self._reach(prompt, ends, forecast.at, forecast.told)
        take(self.held, leaves(prompt, self.rules, forecast.at, None, found.end), self.rules)
        self.newest = newest_mark(prompt, self.rules)

    def settle(
        self,
        prompt: Prompt,
        forecast: Forecast,
        usage: Usage,
        reply: Message | None = None,
        *,
        again: bool = False,
        read: bool = False,
    ) -> Settled:
        """Compare with the report, learn from it, and hold what the request left behind.

        ``reply`` is what the model said; ``again`` whether the request was sent more than once,
        so that what the first time left may have served the next; ``read`` whether it did, since
        a reply had begun.
        """
        now, before = forecast.at, self.past
        self._calibrate(prompt, usage)
        ends = self._sizes(prompt, forecast.told)
        unsure = again and not read
        if read:
            self._was_read(prompt, ends, forecast)
        if unsure:
            self.open = [*self.open, leaves(prompt, self.rules, now, None, -1)]
        found, most = self._reach(prompt, ends, now, forecast.told)
        bound = max(sum(measure.sent_before(prompt.blocks, ends, self.known)), found.tokens)
        why: Why = (forecast.kind, forecast.cause)
        if before.requests:
            why = foreseen(prompt, ends, found, bound, self.rules, before, now)
        kind, cause, at = self._compared(prompt, ends, forecast, (found, most), usage, why)
        self.open = self.open[:-1] if unsure else self.open
        written = long_written(prompt, ends, usage)
        if at is not None and usage.cache_read:
            self._anchor(prompt, at, usage.cache_read)
        self._keep(prompt, now, reply, found.end if at is None else at, usage)
        gap = self.gap(now, before)
        self.gaps = [*self.gaps, gap][-MOST_GAPS:] if gap is not None else self.gaps
        return Settled(found.tokens, round(bound), kind, cause, gap, written)

    def _compared(
        self,
        prompt: Prompt,
        ends: Sequence[float],
        forecast: Forecast,
        reaches: tuple[Reach, int],
        usage: Usage,
        why: Why,
    ) -> tuple[Shortfall, str, int | None]:
        """(class, cause) of what the report says of a forecast, and the last block that was
        served, ``None`` where that is not known."""
        (found, most), read = reaches, usage.cache_read
        at = None if read is None else self._served(prompt, ends, forecast, found, read)
        fine = slack(ends[-1] if ends else 0.0, self.rules.step)
        near = at is not None
        kind, cause = reported(found.tokens, most, read, fine, self.rules, why, unsure=near)
        if kind == "surplus" and read is not None and read > most + fine:
            far = self._served(prompt, ends, forecast, found, read, FAR_OFF)
            at = far if far is not None and far > found.end else None
        return kind, cause, at

    def gap(self, now: float, past: Past | None = None) -> float | None:
        """Seconds since the request before; ``None`` if there was none."""
        at = (past or self.past).at
        return None if at is None else max(0.0, now - at)

    # ---- how large -----------------------------------------------------------------------------

    def _sizes(self, prompt: Prompt, told: tuple[int, int] | None = None) -> list[float]:
        exact = self.exact
        if told is not None and prompt.blocks:
            exact = {**exact, prompt.blocks[-1].digest: told[0]}
        return measure.sizes(prompt.blocks, exact, self.known, self.scale)

    def _total(self, prompt: Prompt, ends: Sequence[float]) -> int:
        marks = [mark for mark in prompt.request.marks if not mark.read_only]
        at_end = bool(marks) and prompt.position(marks[-1]) == len(prompt.blocks) - 1
        return (round(ends[-1]) if ends else 0) + (self.trailing if at_end else 0)

    def _calibrate(self, prompt: Prompt, usage: Usage) -> None:
        """Take from a report what it says of the prompt's size."""
        if not usage.input or not prompt.blocks:
            return
        whole, last = usage.input, prompt.blocks[-1].digest
        for block in prompt.blocks:
            if self.exact.get(block.digest, 0) > whole:
                del self.exact[block.digest]  # A reply's size was taken for more than came back.
        cached = (usage.cache_read or 0) + (usage.cache_write or 0)
        writes = asked(prompt, self.rules).writes
        end = writes[-1][0] if writes and usage.cache_write is not None and cached else -1
        behind = whole - cached if end == len(prompt.blocks) - 1 else -1
        if 0 <= behind <= max(MOST_TRAILING, slack(whole)):
            self.trailing = behind
            self._fix(prompt, {last: cached})
        elif 0 <= end < len(prompt.blocks) - 1:
            self._fix(prompt, {prompt.blocks[end].digest: cached, last: whole})
        else:
            self._fix(prompt, {last: whole})

    def _fix(self, prompt: Prompt, told: Mapping[str, int]) -> None:
        """Take in how large some prefixes are, and learn from it."""
        fresh = {digest for digest, tokens in told.items() if self.exact.get(digest) != tokens}
        for digest, tokens in told.items():
            measure.fix(self.exact, digest, tokens)
        self.scale = measure.corrected(prompt.blocks, self.exact, self.known, self.scale, fresh)

    def _served(
        self,
        prompt: Prompt,
        ends: Sequence[float],
        forecast: Forecast,
        found: Reach,
        read: int,
        times: float = 1.0,
    ) -> int | None:
        """The block with which that ended which was served, where sizes may be so many ``times``
        their doubt off; ``None`` if it is none of those that it might be then."""
        doubts = [0.0] * len(ends)
        fine = slack(ends[-1] if ends else 0.0, self.rules.step)
        if forecast.told is None and abs(found.tokens - read) > fine:
            each = measure.doubts(prompt.blocks, self.exact, self.known, self.scale)
            doubts = [times * off for off in each]

        def others(sizes: Sequence[float]) -> Reach:
            return self._reach(prompt, sizes, forecast.at, forecast.told)[0]

        return last_served(read, found, fine, ends, doubts, others)

    def _anchor(self, prompt: Prompt, at: int, read: int) -> None:
        """What was served ended with this block: the prefix is so large exactly. Of the last one
        a cache may serve less than all, and the report told its size; a cache that goes by bytes
        may serve a part of the next one too."""
        if (
            self.rules.step > 1
            or self.rules.kind == "prefix"
            or not 0 <= at < len(prompt.blocks) - 1
        ):
            return
        digest = prompt.blocks[at].digest
        if self.rules.kind == "marks" or read < self.exact.get(digest, read + 1):
            self._fix(prompt, {digest: read})

    # ---- how far -------------------------------------------------------------------------------

    def _reach(
        self, prompt: Prompt, ends: Sequence[float], now: float, told: tuple[int, int] | None
    ) -> tuple[Reach, int]:
        """How far it is served for certain, and how many tokens at most."""
        reaches = [reach(prompt, ends, held, self.rules, now) for held in self._may_hold(now)]
        found = min(reaches, key=lambda each: each.tokens)
        if told is not None:
            end = next((n for n in range(len(ends) - 1, -1, -1) if ends[n] <= told[1] + 0.5), -1)
            return replace(found, tokens=told[1], end=end, alive=max(found.alive, end)), told[1]
        return found, max(each.tokens for each in reaches)

    def _may_hold(self, now: float) -> Iterator[Held]:
        """What the cache holds, if none, one, … all of the unfinished requests reached it."""
        held = self.held
        yield held
        for sent in self.open:
            held = held.copy()
            take(held, sent, self.rules)
            yield held

    def _keep(
        self, prompt: Prompt, at: float, reply: Message | None, hit: int, usage: Usage
    ) -> None:
        """Hold what a finished request left."""
        measure.learn(prompt.blocks, self.exact, self.known)
        said = None
        if reply is not None and (tokens := measure.repeated(reply, usage)) is not None:
            said = prompt.reply(reply)
            if usage.input and self.scale.likely(said.makeup, tokens):
                measure.fix(self.exact, said.digest, usage.input + tokens)
                self.scale = self.scale.after(said.makeup, tokens)
        if said is not None and self.rules.caches_reply:
            self.known.setdefault(said.content, 0)
        else:
            said = None
        take(self.held, leaves(prompt, self.rules, at, said, hit), self.rules)
        self.open = [sent for sent in self.open if at - sent.at <= self.rules.ttl_s]
        if self.rules.kind == "slot":
            self.open = []
        self.newest = newest_mark(prompt, self.rules)
        self.past = Past(self.past.requests + 1, "", prompt.epoch, at)
