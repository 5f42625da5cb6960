"""The window against what must always be true of it, whatever is done to it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory.context import epochs
from memory.context.judging import Judged
from memory.context.rebase import Wanted, held, line_name
from memory.context.tail_ring import groups
from memory.store import conversation, lines, nodes
from memory.store.database import open_database
from memory.types import Budget, Entry, Item, NewNode

TOOLS, SYSTEM = ('{"name":"shell"}', '{"name":"工具"}'), ("You are growbox.", "Rules: \ud800 none")
SIZES = st.integers(1, 60)
PICKS = st.integers(0, 11)
GIANT = 5_000
LOG = "\n".join(f"line {n} of a long log: step {n * 7} done" for n in range(300))


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    low, slack = draw(st.integers(1, 300)), draw(st.integers(0, 200))
    region, batch = draw(st.integers(0, 900)), draw(st.integers(0, 400))
    return Budget(2_000, low, low + slack, region, region + batch, region // 2)


def shortened(entry: Entry, tokens: int) -> Entry:
    """What the spine does to a giant: its beginning, and where the whole is."""
    body = f"{entry.body[:20]} … mem://{entry.node}"
    return replace(entry, body=body, tokens=tokens) if entry.role == "tool" else entry


class WindowMachine(RuleBasedStateMachine):
    """Talks, finds, pins, evicts, ends epochs, naps and resumes."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.db = open_database(Path(self.folder.name) / "m.db")
        self.db.execute("PRAGMA synchronous=OFF")  # nothing here cuts the power
        self.session = conversation.open_session(self.db, "/p", "x/y", 1)
        self.window = epochs.load(self.db, self.session)
        self.turn = self.now = 0
        self.memories = [
            nodes.add(self.db, NewNode("user", f"memory {number} " * (number + 1)), number).id
            for number in range(12)
        ]
        self.prefix: tuple[str, ...] = ()
        self.caller: dict[int, int] = {}
        self.said: dict[str, int] = {}
        self.begin(Budget(2_000, 100, 100, 100, 100, 50), cold=True)

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
            self.folder.cleanup()

    # ---- what can happen -----------------------------------------------------------------------

    def begin(self, budget: Budget, *, cold: bool, standing: tuple[str, ...] = ()) -> None:
        self.now += 1_000
        coming = epochs.Next(TOOLS, SYSTEM, "full", budget, cold, standing)
        going = epochs.part(self.window, budget, shortened)
        reaped = epochs.harvest(self.db, self.window, going, coming, self.now)
        scene = epochs.begin(self.db, self.window, going, coming, reaped, self.now, Judged())
        self.window.enter(scene)
        self.prefix = self.rendered()

    def record(self, role: str, tokens: int, shows: tuple[str, ...] = (), text: str = "") -> Entry:
        seq = self.window.next_seq
        entry = Entry(seq, self.turn, role, f"{role} {seq} \0 é" * 9, tokens, None, shows)  # type: ignore[arg-type]
        node = NewNode(role, text or f"words {seq}", turn=self.turn)  # type: ignore[arg-type]
        queue = self.window.queue_after(entry)
        stored = epochs.record(self.db, self.window, entry, node, queue, self.now)
        self.window.append(stored, queue)
        assert stored.node is not None
        self.said[stored.node] = seq
        return stored

    @rule(tokens=SIZES, picks=st.lists(PICKS, max_size=3, unique=True))
    def ask(self, tokens: int, picks: list[int]) -> None:
        self.turn += 1
        hits = [self.memories[pick] for pick in picks]
        new = tuple(hit for hit in hits if not self.window.holds(hit))
        self.window.touch(hits)
        self.record("user", tokens, new)

    @precondition(lambda self: self.turn > 0)
    @rule(tokens=SIZES)
    def steer(self, tokens: int) -> None:
        self.record("user", tokens)

    @precondition(lambda self: self.turn > 0)
    @rule(tokens=SIZES, results=st.lists(SIZES, max_size=3), giant=st.booleans())
    def answer(self, tokens: int, results: list[int], giant: bool) -> None:
        call = self.record("assistant", tokens)
        for size in results:
            text = LOG if giant else ""
            result = self.record("tool", GIANT if giant else size, (), text)
            self.caller[result.seq] = call.seq

    @precondition(lambda self: self.turn > 0)
    @rule(pick=PICKS, size=SIZES)
    def recall_in_the_middle(self, pick: int, size: int) -> None:
        name = self.memories[pick]
        call = self.record("assistant", 3)
        self.window.touch([name])
        shows = () if self.window.holds(name) else (name,)
        self.caller[self.record("tool", size, shows).seq] = call.seq

    @rule(picks=st.lists(PICKS, max_size=4))
    def touch(self, picks: list[int]) -> None:
        before, tokens = self.rendered(), self.window.tokens
        self.window.touch([self.memories[pick] for pick in picks])
        assert self.rendered() == before
        assert self.window.tokens == tokens

    @rule(pick=PICKS, verb=st.sampled_from(["pin", "unpin", "evict"]))
    def pin_or_evict(self, pick: int, verb: str) -> None:
        queue = self.window.queue.copy()
        getattr(queue, verb)(self.memories[pick])
        conversation.put_queue(self.db, self.session, queue.to_plain())
        self.window.queue = queue

    @rule(
        budget=budgets(), cold=st.booleans(), plan=st.sampled_from([(), ("plan a",), ("plan b",)])
    )
    def rebase(self, budget: Budget, cold: bool, plan: tuple[str, ...]) -> None:
        before, old, queue = self.window.entries, self.window.items, self.window.queue
        found = {node for node in queue.nodes if queue.found_in(node, self.window.turns)}
        dropped = self.window.evicted
        self.begin(budget, cold=cold, standing=plan)
        assert not dropped & {item.node for item in self.window.items}
        self.check_tail(before, budget)
        self.check_order(old, cold)
        assert self.window.region_tokens <= budget.region_high
        if budget.region_high >= 10:
            assert set(plan) <= {item.body for item in self.window.items}
        self.check_held(budget, found, cold)

    @rule()
    def nap(self) -> None:
        coming = epochs.Next(TOOLS, SYSTEM, "nap", Budget(0, 0, 0, 0, 0, 0), cold=True)
        self.window.enter(epochs.clear(self.db, self.window, coming, 5))
        self.prefix = self.rendered()
        assert (self.window.entries, self.window.items, self.window.lines) == ((), (), ())
        assert (len(self.window.queue), self.window.pinned) == (0, ())
        self.said = {}

    @precondition(lambda self: self.window.chain.weak_refs)
    @rule()
    def bring_a_line_back(self) -> None:
        chain = self.window.chain.copy()
        back, sent = chain.reload(chain.weak_refs[0], LOG, self.now)
        lines.put(self.db, self.session, [back])
        lines.leave(self.db, self.session, [line.seq for line in sent])
        self.window.chain = chain

    @rule()
    def resume(self) -> None:
        # What was touched since the last message is told to no disk.
        again = epochs.load(self.db, self.session)
        assert again.epoch == self.window.epoch
        assert again.entries == self.window.entries
        assert again.lines == self.window.lines
        assert set(again.chain.weak_refs) == set(self.window.chain.weak_refs)
        assert again.queue.nodes == self.window.queue.nodes
        assert (again.pinned, again.shortened) == (self.window.pinned, self.window.shortened)
        assert (again.next_seq, again.turns) == (self.window.next_seq, self.window.turns)
        assert again.tokens == self.window.tokens
        self.window = again
        assert self.rendered() == self.prefix

    # ---- what is true after each epoch's end ---------------------------------------------------

    def check_tail(self, before: tuple[Entry, ...], budget: Budget) -> None:
        after = self.window.entries
        there = {entry.seq: entry for entry in before}
        assert [entry.seq for entry in after] == sorted({entry.seq for entry in after})
        assert all(
            entry == there[entry.seq] or entry.seq in self.window.shortened for entry in after
        )
        spoken = [e.seq for e in before if e.role == "user" and before[-1].turn == e.turn]
        least = {e.seq for e in groups(before)[-1]} if before else set()
        least |= {*spoken[:1], *spoken[-1:]}
        assert least <= {entry.seq for entry in after}
        assert self.window.tail_tokens <= budget.tail_low or {e.seq for e in after} == least
        assert [e.role == "tool" and e.tokens >= GIANT for e in after if e.seq not in least].count(
            True
        ) == 0

    def check_order(self, old: tuple[Item, ...], cold: bool) -> None:
        now = self.window.items
        if not cold:
            survivors = [item for item in old if item in now]
            assert list(now[: len(survivors)]) == survivors
        pinned = set(self.window.pinned)

        def equals(items: tuple[Item, ...]) -> dict[tuple[object, ...], list[Item]]:
            alike = [
                item for item in items if item in old and item in now and item.node not in pinned
            ]
            by = sorted(alike, key=lambda item: (item.segment, item.kind == "standing"))
            return {
                key: list(group)
                for key, group in groupby(by, lambda i: (i.segment, i.kind == "standing"))
            }

        assert equals(old) == equals(now)

    def check_held(self, budget: Budget, found: set[str], cold: bool) -> None:
        """What this turn found, what is pinned and what must stand is there if all of it fits."""
        window = self.window
        standing = frozenset(item.node for item in window.items if item.kind == "standing")
        wanted = Wanted(
            *(window.queue, window.turns, 1, budget, cold, standing),
            *(frozenset(map(line_name, window.lines)), lambda _: ()),
        )
        tokens = sum(item.tokens for item in window.items if held(item, wanted))
        if tokens + 12 * 120 <= budget.region_high:
            assert found - window.evicted <= window.remembered
            if budget.region_high // 2 >= 12 * 120:
                assert set(window.pinned) <= window.remembered

    # ---- what is always true -------------------------------------------------------------------

    def rendered(self) -> tuple[str, ...]:
        epoch = self.window.epoch
        if epoch is None:
            return ()
        bodies = (entry.body for entry in self.window.entries)
        return (*epoch.tools, *epoch.system, *(item.body for item in epoch.items), *bodies)

    @invariant()
    def the_prefix_only_grows(self) -> None:
        if hasattr(self, "window"):
            now = self.rendered()
            assert now[: len(self.prefix)] == self.prefix
            self.prefix = now

    @invariant()
    def the_queue_holds_exactly_the_nodes_that_stand_in_region_or_tail(self) -> None:
        if hasattr(self, "window"):
            shown = {name for entry in self.window.entries for name in entry.shows}
            standing = {i.node for i in self.window.items if ":" not in i.node}
            assert self.window.queue.nodes == shown | standing
            assert self.window.evicted <= self.window.queue.nodes
            told = {row[0] for row in self.window.hottest()}
            assert told == shown | {i.node for i in self.window.items if i.kind == "memory"}

    @invariant()
    def no_call_is_without_its_results(self) -> None:
        if hasattr(self, "window"):
            here = {entry.seq for entry in self.window.entries}
            for result, call in self.caller.items():
                assert (result in here) == (call in here)

    @invariant()
    def no_memory_stands_twice(self) -> None:
        if hasattr(self, "window"):
            shown = [name for entry in self.window.entries for name in entry.shows]
            standing = [i.node for i in self.window.items if i.kind == "memory"]
            assert len(shown + standing) == len(set(shown + standing))

    @invariant()
    def whatever_was_said_is_in_the_tail_or_in_a_line_or_can_come_back(self) -> None:
        if hasattr(self, "window"):
            window = self.window
            tail = {entry.node for entry in window.entries}
            chain = {line.node for line in window.lines}
            gone = {address.removeprefix("mem://") for address in window.chain.weak_refs}
            assert set(self.said) <= tail | chain | gone
            assert not chain & tail
            for item in window.items:
                assert item.kind != "line" or f"mem://{item.node}" in item.body

    @invariant()
    def the_file_holds_the_same_prompt(self) -> None:
        if hasattr(self, "window"):
            running = conversation.current_epoch(self.db, self.session)
            assert running == (self.window.epoch, self.window.entries, self.window.shortened)


WindowMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestWindow = WindowMachine.TestCase
