"""Fake session: a workbench and a session that publish what a test scripts, without a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from growbox_tui.agent import events as e
from growbox_tui.agent.story import Story
from growbox_tui.agent.stream import EventStream
from growbox_tui.app import GrowboxApp
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.composer import Draft
from memory.recall.overview import MemoryMap
from memory.types import MemoryState, SessionInfo
from tests.doubles.patience import FOR_EVER

MODEL = "fake/parrot"
LISTED = SessionInfo("old", "orchard", "prune late", 0, 0, MODEL, 4)
FIGURES = MemoryState("memory.db", 12, 3, 12, "hash-1", 40_960)


@dataclass
class FakeSettings:
    theme: str = "growbox-dark"
    theme_folder: Path = Path("no-such-folder")


@dataclass
class FakeSession:
    """Keeps what it was asked to do; a turn runs until the test ends it."""

    project: Path = Path("orchard")
    id: str = "s1"
    replay: tuple[e.Event, ...] = ()
    stream: EventStream = field(default_factory=EventStream)
    model_name: str = MODEL
    cost: float | None = 0.0123
    prompts: list[str] = field(default_factory=list)
    answers: list[tuple[str, str, str]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    naps: int = 0
    cancels: int = 0
    closed: bool = False
    waiting_asks: set[str] = field(default_factory=set)
    silent: bool = False
    """Whether the test itself says when a turn has started."""
    _aside: bool = False
    """Whether a command of the user's own or a nap runs."""
    _end: asyncio.Future[e.TurnEnded] | None = None
    turns: int = 0
    granted: list[str] = field(default_factory=list)
    story: Story = field(default_factory=Story)
    stated: tuple[e.RuleView, ...] = ()
    """The rules."""
    wishes: list[tuple[object, ...]] = field(default_factory=list)
    """What was asked of the prompt, in order."""
    warm: bool = False
    refusal: str = ""
    """Why the next rule is refused, where it is."""
    known: MemoryMap = field(default_factory=MemoryMap)
    found: list[e.Recalled] = field(default_factory=list)
    """What the next questions to memory bring, in turn; the last one again and again."""
    explained: e.Recalled | None = None
    """The last recall on file."""
    step: asyncio.Semaphore | None = None
    """Each step of the ladder waits for this, where it is set."""

    @property
    def busy(self) -> bool:
        return self._aside or (self._end is not None and not self._end.done())

    @property
    def takes_words(self) -> bool:
        return not self._aside

    def begin_aside(self) -> None:
        self._aside = True

    def end_aside(self, event: e.Event) -> None:
        self._aside = False
        self.stream.publish(event)

    async def start(self) -> None:
        opened = e.SessionOpened(
            self.id, str(self.project), self.model_name, "", bool(self.replay), 0, 12, 200_000
        )
        for event in (opened, *self.replay):
            self.stream.publish(event)

    async def prompt(self, text: str) -> e.TurnEnded:
        self.prompts.append(text)
        if self._end is not None and not self._end.done():
            return await asyncio.shield(self._end)
        self.turns += 1
        self._end = asyncio.get_running_loop().create_future()
        if not self.silent:
            self.stream.publish(e.TurnStarted(self.turns, text))
        return await self._end

    def say(self, *events: e.Event) -> None:
        for event in events:
            if isinstance(event, e.ApprovalAsked | e.QuestionAsked):
                self.waiting_asks.add(event.ask)
            self.stream.publish(event)

    def end(self, reason: e.EndReason = "done", detail: str = "") -> None:
        event = e.TurnEnded(self.turns, reason, detail)
        self.stream.publish(event)
        if self._end is not None and not self._end.done():
            self._end.set_result(event)

    def answer(self, ask: str, choice: str, reason: str = "") -> bool:
        if ask not in self.waiting_asks:
            return False
        self.waiting_asks.remove(ask)
        self.answers.append((ask, choice, reason))
        if ask.startswith("q"):
            self.stream.publish(e.QuestionAnswered(ask, choice))
        else:
            self.stream.publish(e.ApprovalAnswered(ask, choice, reason))
        return True

    async def cancel(self) -> None:
        self.cancels += 1
        self.end("cancelled")

    async def nap(self) -> None:
        self.naps += 1
        self.stream.publish(e.Napped(3, 5, 120, 2))

    async def use_model(self, name: str) -> None:
        self.model_name = name
        self.stream.publish(e.ModelChanged(name, "", 8_000))

    async def grants(self) -> list[str]:
        return list(self.granted)

    async def forget_grants(self) -> None:
        self.granted.clear()

    async def cache_story(self) -> Story:
        return self.story

    async def rules(self) -> tuple[e.RuleView, ...]:
        return self.stated

    async def add_rule(self, text: str) -> None:
        self.wishes.append(("add", text))
        if self.refusal:
            self.say(e.RulesChanged(self.stated, self.refusal, "refused"))
            return
        number = 1 + max((rule.id for rule in self.stated), default=0)
        self.stated = (*self.stated, e.RuleView(number, text, "stated", False))
        self.say(e.RulesChanged(self.stated, f"rule {number} is kept: “{text}”", "kept"))

    async def edit_rule(self, number: int, text: str) -> None:
        self.wishes.append(("edit", number, text))
        self.stated = tuple(
            replace(rule, text=text, standing=False) if rule.id == number else rule
            for rule in self.stated
        )
        self.say(e.RulesChanged(self.stated, f"rule {number} was changed", "changed"))

    async def drop_rule(self, number: int) -> None:
        self.wishes.append(("drop", number))
        if number not in [rule.id for rule in self.stated]:
            raise LookupError(f"there is no rule {number}")
        self.stated = tuple(rule for rule in self.stated if rule.id != number)
        self.say(e.RulesChanged(self.stated, f"rule {number} does not hold any more", "dropped"))

    async def pin(self, address: str) -> None:
        self.wishes.append(("pin", address))

    async def unpin(self, address: str) -> None:
        self.wishes.append(("unpin", address))

    async def drop(self, address: str) -> None:
        self.wishes.append(("drop", address))
        if address == "mem://nothing":
            raise LookupError("nothing is remembered under mem://nothing")

    async def recall_steps(
        self,
        text: str,
        *,
        deeper: bool = False,
        exhaustive: bool = False,
        told: Callable[[e.StepView], None] = lambda _: None,
    ) -> e.Recalled:
        self.wishes.append(("recall", text, deeper, exhaustive))
        found = self.next_found()
        for step in found.steps:
            if self.step is not None:
                await self.step.acquire()
            told(step)
        if self.step is not None:
            await self.step.acquire()
        return found

    def next_found(self) -> e.Recalled:
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]

    async def wrong(
        self, recollection: int, addresses: Sequence[str] = (), *, aloud: bool = True
    ) -> e.Recalled:
        self.wishes.append(("wrong", recollection, tuple(addresses)))
        if recollection < 0:
            raise LookupError(f"there is no recollection {recollection}")
        found = replace(self.next_found(), occasion="wrong")
        if aloud:
            self.say(found)
        return found

    async def why(self) -> e.Recalled | None:
        return self.explained

    async def map(self) -> MemoryMap:
        return self.known

    async def undo_jump(self, number: int) -> None:
        self.wishes.append(("undo", number))
        jumps = self.known.jumps
        if number not in [jump.id for jump in jumps]:
            raise LookupError(f"there is no jump {number}")
        left = tuple(jump for jump in jumps if jump.id != number)
        self.known = replace(self.known, jumps=left)

    async def remember(self, text: str) -> None:
        self.wishes.append(("remember", text))

    async def compact(self) -> bool:
        self.wishes.append(("compact",))
        return False

    async def keep_warm(self, on: bool) -> None:
        self.warm = on
        self.wishes.append(("warm", on))

    async def run_shell(self, command: str) -> None:
        self.commands.append(command)

    async def close(self) -> None:
        self.closed = True
        self.stream.close()


@dataclass
class FakeWorkbench:
    """Opens the sessions it was given, in turn; then new empty ones."""

    sessions_to_open: list[FakeSession] = field(default_factory=list)
    project: Path = Path("orchard")
    demo: bool = False
    settings: FakeSettings = field(default_factory=FakeSettings)
    opened: list[str | None] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    """The names that sessions were asked to be opened with."""
    saved: list[tuple[str, str]] = field(default_factory=list)
    failure: Exception | None = None
    gate: asyncio.Event | None = None
    """Opening waits for this, where it is set."""
    paths: tuple[str, ...] = ("README.md", "src/prune.py", "src/修剪.py")
    closed: bool = False
    listed: tuple[SessionInfo, ...] = (LISTED,)
    names: tuple[str, ...] = (MODEL, "fake/owl")
    figures: MemoryState = FIGURES

    async def open(self, resume: str | None = None, model: str = "") -> FakeSession:
        self.opened.append(resume)
        self.models.append(model)
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        return self.sessions_to_open.pop(0) if self.sessions_to_open else FakeSession()

    async def sessions(self) -> list[SessionInfo]:
        return list(self.listed)

    async def state(self) -> MemoryState:
        return self.figures

    def model_names(self) -> list[str]:
        return list(self.names)

    def files(self, prefix: str, limit: int = 20) -> list[str]:
        return [path for path in self.paths if prefix.lower() in path.lower()][:limit]

    def save_setting(self, key: str, value: str) -> None:
        self.saved.append((key, value))

    async def close(self) -> None:
        self.closed = True


def app_with(session: FakeSession | None = None, **rest: Any) -> tuple[GrowboxApp, FakeSession]:
    """An app on a fake workbench, and the session it will open."""
    session = session or FakeSession()
    bench = rest.pop("bench", None) or FakeWorkbench([session])
    return GrowboxApp(bench, **rest), session


async def until(pilot: Any, condition: Any) -> None:
    """Wait for a condition, frame by frame. Raises ``AssertionError`` when it never comes."""
    end = time.monotonic() + FOR_EVER
    while not condition():
        assert time.monotonic() < end, "it never came"
        await pilot.pause(0.01)


def takes_answers(app: GrowboxApp) -> bool:
    """Whether an approval has the focus, its first moment is over, and its keys are in view."""
    card = app.focused
    return isinstance(card, ApprovalCard) and card.armed and app.asks._in_view(card)


async def terminal(pilot: Any, text: str) -> None:
    """Feed bytes as a terminal would, through the real parser, all at the same moment."""
    from textual._xterm_parser import XTermParser

    parser = XTermParser()
    pieces = [*parser.feed(text), *parser.feed("")]
    for event in pieces:
        event.time = pieces[0].time
        pilot.app._driver.send_message(event)
    await pilot.pause()


async def send(pilot: Any, text: str) -> None:
    """Put text into the composer and press enter."""
    pilot.app.chat.composer.put(Draft(text))
    await pilot.press("enter")


def detail(body: str = "", kind: str = "text", **rest: str) -> e.DetailView:
    return e.DetailView(kind, rest.get("title", "a"), rest.get("summary", "ok"), body)


def shell_ask(ask: str = "a1") -> e.ApprovalAsked:
    """A command that waits for the user."""
    return e.ApprovalAsked(
        ask,
        "c1",
        "shell",
        ("run pytest -k prune",),
        e.DetailView("shell", "pytest -k prune", "", "pytest -k prune"),
        (
            e.Choice("once", "once"),
            e.Choice("session", "for this session"),
            e.Choice("always", "always for this exact command"),
            e.Choice("no", "no, and say why"),
        ),
    )


DIFF = """--- a/src/prune.py
+++ b/src/prune.py
@@ -40,7 +40,7 @@
 def prune(node):
-    if node.is_leaf():
+    if node.children_done:
         cut(node)
"""

ANSWER = """It skips them because `is_leaf()` counts *pending* children. We met this on **3 May**, \
in `graft.py`; the fix there was to test `children_done` instead.

```python
if node.children_done:
    prune(node)
```

| file | lines |
|---|---|
| src/prune.py | 52 |
| 修剪.py | 7 |

1. change the test
2. run `pytest -k prune`
   - and [read this](https://example.org/x)
"""


def specimen() -> list[e.Event]:
    """One turn with everything in it, but its end."""
    hit = e.HitView(
        "mem://01J", "assistant", "2026-05-03 14:02", ("vector", "text"), 0.83,
        "children_done must be tested in graft.py", True,
    )  # fmt: skip
    segments = (
        e.SegmentView("tools", 900, "hit"),
        e.SegmentView("system", 400, "hit"),
        e.SegmentView("region", 4_100, "hit"),
        e.SegmentView("turn", 600, "new"),
    )
    item = e.WindowItemView("mem://01J", "graft.py", "2026-05-03 14:02", 0.9, 90, "region")
    read = detail("def prune(node): ...", "file", title="src/prune.py:40-92", summary="53 lines")
    edited = detail(DIFF, "diff", title="src/prune.py", summary="+1 -1")
    return [
        e.Recalled("why", (hit,), ("vector", "text", "time"), 14.2, 120, True),
        e.WindowChanged((item,)),
        e.PromptBuilt(1, 1, segments, 6_000, 5_400, ""),
        e.ToolStarted("c0", "read_file", "src/prune.py", ("read src/prune.py",)),
        e.ToolEnded("c0", "read_file", False, read, 0.02, "mem://02K"),
        e.ToolStarted("c1", "edit_file", "src/prune.py", ("write src/prune.py",)),
        e.ToolEnded("c1", "edit_file", False, edited, 0.31, "mem://02L"),
        e.ToolStarted("c2", "shell", "pytest -k prune", ("run pytest -k prune",)),
        e.ToolProgress("c2", "collecting ...\n3 passed, 1 failed\n"),
        e.MessageStarted(1),
        e.TextDelta(ANSWER),
    ]
