"""The window against what must always be true of it, whatever is done to it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory.context import epochs
from memory.context.tail_ring import groups
from memory.context.window import carry
from memory.store import conversation, nodes
from memory.store.database import open_database
from memory.types import Entry, NewNode

TOOLS, SYSTEM = ('{"name":"shell"}', '{"name":"工具"}'), ("You are growbox.", "Rules: \ud800 none")
SIZES = st.integers(1, 60)
BUDGETS = st.integers(1, 400)


class WindowMachine(RuleBasedStateMachine):
    """Talks, finds, rebases, naps and reloads."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.db = open_database(Path(self.folder.name) / "m.db")
        self.db.execute("PRAGMA synchronous=OFF")  # nothing here cuts the power
        self.session = conversation.open_session(self.db, "/p", "x/y", 1)
        self.window = epochs.load(self.db, self.session)
        self.turn = 0
        self.found = [
            nodes.add(self.db, NewNode("user", f"memory {number} " * (number + 1)), number).id
            for number in range(12)
        ]
        self.prefix: tuple[str, ...] = ()
        self.caller: dict[int, int] = {}
        self.begin(100, 100)

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
            self.folder.cleanup()

    # ---- what can happen -----------------------------------------------------------------------

    def begin(self, keep: int, region: int, why: str = "full") -> None:
        going = carry(self.window, keep)
        epoch = epochs.begin(
            self.db, self.window, going, epochs.Fixed(TOOLS, SYSTEM, why), region, 5
        )
        self.window.start(epoch, going.entries)
        self.prefix = self.rendered()

    def record(self, role: str, tokens: int, shows: tuple[str, ...] = ()) -> Entry:
        seq = self.window.next_seq
        entry = Entry(seq, self.turn, role, f"{role} {seq} \0 é", tokens, None, shows)  # type: ignore[arg-type]
        node = NewNode(role, f"words {seq}", turn=self.turn) if role != "tool" else None  # type: ignore[arg-type]
        assert self.window.epoch
        stored = epochs.record(self.db, self.window, self.window.epoch.number, entry, node, 5)
        self.window.append(stored)
        return stored

    @rule(tokens=SIZES, picks=st.lists(st.integers(0, 11), max_size=3, unique=True))
    def ask(self, tokens: int, picks: list[int]) -> None:
        self.turn += 1
        hits = [self.found[pick] for pick in picks]
        new = tuple(hit for hit in hits if not self.window.holds(hit))
        self.window.touch(hits)
        self.record("user", tokens, new)

    @precondition(lambda self: self.turn > 0)
    @rule(tokens=SIZES, results=st.lists(SIZES, max_size=3))
    def answer(self, tokens: int, results: list[int]) -> None:
        call = self.record("assistant", tokens)
        for size in results:
            self.caller[self.record("tool", size).seq] = call.seq

    @precondition(lambda self: self.turn > 0)
    @rule(pick=st.integers(0, 11), size=SIZES)
    def recall_in_the_middle(self, pick: int, size: int) -> None:
        name = self.found[pick]
        call = self.record("assistant", 3)
        shows = () if self.window.holds(name) else (name,)
        self.caller[self.record("tool", size, shows).seq] = call.seq

    @rule(picks=st.lists(st.integers(0, 11), max_size=4))
    def touch(self, picks: list[int]) -> None:
        before, tokens = self.rendered(), self.window.tokens
        self.window.touch([self.found[pick] for pick in picks])
        assert self.rendered() == before
        assert self.window.tokens == tokens

    @rule(keep=BUDGETS, region=st.integers(0, 400))
    def rebase(self, keep: int, region: int) -> None:
        before, order = self.window.entries, self.items()
        self.begin(keep, region)
        after = self.window.entries
        assert list(after) == [entry for entry in before if entry in after]
        survivors = [name for name in self.items() if name in order]
        assert survivors == [name for name in order if name in survivors]
        assert self.items()[: len(survivors)] == survivors
        assert self.window.epoch
        assert sum(item.tokens for item in self.window.epoch.items) <= region
        self.check_least(before, keep)

    @rule()
    def nap(self) -> None:
        self.begin(0, 0, "nap")
        assert self.window.entries == ()
        assert len(self.window.queue) == 0

    @rule()
    def reload(self) -> None:
        # What was touched since the last message is told to no disk.
        again = epochs.load(self.db, self.session)
        assert again.epoch == self.window.epoch
        assert again.entries == self.window.entries
        assert again.queue.nodes == self.window.queue.nodes
        assert (again.next_seq, again.turns) == (self.window.next_seq, self.window.turns)
        assert again.tokens == self.window.tokens
        self.window = again

    # ---- what is always true -------------------------------------------------------------------

    def check_least(self, before: tuple[Entry, ...], keep: int) -> None:
        after = self.window.entries
        newest = [entry for entry in before if entry.turn == self.turn]
        spoken = {entry.seq for entry in newest if entry.role == "user"}
        assert spoken <= {entry.seq for entry in after}
        others = [group for group in groups(newest) if group[0].role != "user"]
        least = spoken | {entry.seq for entry in (others[-1] if others else [])}
        tokens = sum(entry.tokens for entry in after)
        assert tokens <= keep or {entry.seq for entry in after} == least

    def items(self) -> list[str]:
        return [item.node for item in self.window.epoch.items] if self.window.epoch else []

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
    def queue_and_prompt_hold_the_same_memories(self) -> None:
        if hasattr(self, "window"):
            shown = {name for entry in self.window.entries for name in entry.shows}
            assert self.window.queue.nodes == shown | set(self.items())
            assert all(self.window.holds(name) for name in self.window.queue.nodes)
            assert {row[0] for row in self.window.hottest()} == self.window.queue.nodes

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
            assert len(shown + self.items()) == len(set(shown + self.items()))

    @invariant()
    def the_file_holds_the_same_prompt(self) -> None:
        if hasattr(self, "window"):
            running = conversation.current_epoch(self.db, self.session)
            assert running == (self.window.epoch, self.window.entries)


WindowMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestWindow = WindowMachine.TestCase
