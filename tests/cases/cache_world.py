"""A folder, a home and a provider with a cache, and the real program at work between them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from growbox_tui.agent.events import Event, TextDelta
from growbox_tui.agent.session import Session
from growbox_tui.agent.stream import Reader
from growbox_tui.settings import load
from growbox_tui.wiring import Workbench
from tests.doubles.cache_layout import Body, Piece, laid_out
from tests.doubles.cache_provider import Answer, CacheProvider, Clock, Received
from tests.doubles.cached_session import VOICES, Voice
from tests.doubles.patience import FOR_EVER
from tests.doubles.product import run, world

OTHERS = {"anthropic": "anthropic/claude-haiku-4-5", "openai": "openai/gpt-5.4-mini"}
"""By provider: what ``/model other`` means."""
REACHED = ("ANTHROPIC", "OPENAI", "DEEPSEEK", "LLAMACPP", "DASHSCOPE", "MOONSHOT", "XAI", "GEMINI")
"""Providers that all are the one on loopback."""
GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org")


@dataclass
class World:
    """One row being acted out."""

    folder: Path
    provider: CacheProvider
    clock: Clock
    voice: Voice
    events: list[Event] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    """Words that the model has to be told of, behind what it read before."""
    scripted_faults: int = 0
    """Requests that the script answers with an error."""
    turns: int = 0
    env: dict[str, str] = field(default_factory=dict)
    """What a new process is given beside its usual environment."""
    warned_from: int = 0
    """How many events there were when the model was changed."""
    _bench: Workbench | None = None
    _session: Session | None = None
    _reader: Reader | None = None

    # ---- processes ---------------------------------------------------------------------------

    @property
    def project(self) -> Path:
        """The folder that it works in."""
        return self.folder / "orchard"

    def world(self) -> dict[str, str]:
        """The environment of a process."""
        keys = {f"{name}_API_KEY": "k" for name in REACHED}
        urls = {f"{name}_BASE_URL": self.provider.url for name in REACHED}
        return world(self.folder / "home", **keys, **urls) | self.env

    async def session(self) -> Session:
        """The session, opened where no process has it open."""
        if self._session is None:
            env = self.world()
            bench = Workbench(
                load(env, model=self.voice.name), self.project, env=env, stand_in="yes"
            )
            self._bench = bench
            self._session = await bench.open("last" if self.provider.log else None)
            self._reader = self._session.stream.reader()
            talk = self._session.talk
            talk.now = self.clock
            await talk.use(self.voice.open(self.provider.url))
            await self._session.start()
        return self._session

    async def set_theme(self, name: str) -> None:
        """Keep another theme, as the screen does when one is chosen."""
        await self.session()
        assert self._bench is not None
        self._bench.save_setting("theme", name)

    def seen(self) -> list[Event]:
        """All that happened."""
        if self._reader is not None:
            self.events += self._reader.drain()
        return self.events

    async def end(self) -> None:
        """The process ends."""
        if self._bench is not None:
            await self._bench.close()
            self.seen()
        self._bench = self._session = self._reader = None

    # ---- turns -------------------------------------------------------------------------------

    async def turn(self, *answers: Answer, words: str = "", wait: float = 5.0) -> None:
        """One question; without answers it is answered with a call and closing words."""
        self.turns += 1
        words = words or f"Question {self.turns}: how are the apple trees pruned?"
        called = (("list_files", {"path": "."}),)
        usual = (Answer(f"I look, {self.turns}.", called), Answer(f"They are, {self.turns}."))
        self.clock.wait(wait)
        self.provider.plays(answers or usual)
        await (await self.session()).prompt(words)
        self.seen()

    async def stopped_turn(self) -> None:
        """A reply that the user stops while it is on its way."""
        session = await self.session()
        self.turns += 1
        self.clock.wait(5)
        self.provider.plays([Answer("I begin to", breaks="hang")])
        running = asyncio.create_task(session.prompt(f"Question {self.turns}, which I stop."))
        assert self._reader is not None
        async with asyncio.timeout(FOR_EVER):
            async for event in self._reader:
                self.events.append(event)
                if isinstance(event, TextDelta):
                    break
        await session.cancel()
        await running

    async def turn_of_another_process(self) -> None:
        """One question by the installed command, going on with the session."""
        await self.end()
        self.turns += 1
        self.provider.plays([Answer(f"They are, {self.turns}.")])
        words = f"Question {self.turns}, of another process."
        arguments = ["--model", self.voice.name, "--yes", "-p", words]
        resume = ["--resume"] if self.provider.log else []
        done = await asyncio.to_thread(
            run, [*resume, *arguments], env=self.world(), cwd=self.project
        )
        if done.code != 0:
            raise RuntimeError(f"growbox ended with {done.code}: {done.err or done.out}")

    # ---- the folder --------------------------------------------------------------------------

    def commit(self) -> None:
        """A commit in the repository."""
        (self.project / f"note{self.turns}.txt").write_text("pruned\n")
        for step in (("add", "-A"), ("commit", "-qm", f"prune {self.turns}")):
            subprocess.run([*GIT, *step], cwd=self.project, check=True, capture_output=True)

    # ---- what was sent -----------------------------------------------------------------------

    def log(self, model: str = "") -> list[Received]:
        """The requests that were answered, to one model or to all."""
        return [
            each
            for each in self.provider.log
            if each.served is not None and model in ("", each.body.get("model"))
        ]

    def pairs(self) -> Iterator[tuple[Received, Received]]:
        """Each request beside the one before it to the same model."""
        last: dict[str, Received] = {}
        for each in self.log():
            model = str(each.body.get("model"))
            if model in last:
                yield last[model], each
            last[model] = each

    def bodies(self) -> Sequence[Body]:
        """All that was sent and answered."""
        return [each.body for each in self.log()]


def pieces(received: Received) -> list[Piece]:
    """Its content blocks."""
    return laid_out(received.body)


def added(before: Received, after: Received) -> str:
    """The text of what the later of two requests says behind the earlier."""
    mine = pieces(after)[len(pieces(before)) :]
    return "\n".join(piece.data.decode("utf-8", "replace") for piece in mine)


@contextmanager
def living(folder: Path, voice: str) -> Iterator[World]:
    """A world of its own, with a repository in it."""
    project = folder / "orchard"
    project.mkdir(parents=True)
    (project / "README.md").write_text("# orchard\nIt prunes apple trees.\n")
    (project / "AGENTS.md").write_text("".join(f"Rule of the house {n}.\n" for n in range(12)))
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True, capture_output=True)
    chosen, clock = VOICES[voice], Clock(float(int(time.time())))
    kept = dict(os.environ)
    with CacheProvider(chosen.cache, clock=clock, form=chosen.form) as provider:
        made = World(folder, provider, clock, chosen)
        made.commit()
        try:
            yield made
        finally:
            os.environ.clear()
            os.environ.update(kept)
            time.tzset()
