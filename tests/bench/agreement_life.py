"""The session that ``tests.bench agreement`` holds against each provider: what happens in it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from growbox_tui.agent.events import TextDelta
from tests.doubles.cache_provider import Answer, CacheProvider, Clock
from tests.doubles.cached_session import Life, Voice, asked
from tests.doubles.patience import FOR_EVER

TEXT = """
apple pear quince medlar graft rootstock scion canker prune spur lateral frost bloom orchard def
return import class lambda yield async await None True False self error warning 0x1f 42 苹果 果园
修剪 嫁接 砧木 花期 Ärger naïve
"""
WORDS = TEXT.split()


class Script:
    """Answers and texts of one session, drawn from a seed."""

    def __init__(self, seed: int, thinks: bool) -> None:
        self._random = random.Random(seed)
        self._thinks = thinks
        self._steps = 0

    def text(self, least: int, most: int) -> str:
        """So many words, at random."""
        count = self._random.randint(least, most)
        return " ".join(self._random.choices(WORDS, k=count))

    def thought(self) -> str:
        """Reasoning, of a model that does."""
        return self.text(5, 60) if self._thinks and self._random.random() < 0.7 else ""

    def calls(self, count: int = 1) -> Answer:
        """So many calls of the one hand."""
        self._steps += 1
        each = tuple(asked(f"place {self._steps}.{n} {self.text(1, 5)}") for n in range(count))
        say = self.text(3, 20) if self._random.random() < 0.5 else ""
        return Answer(say, each, self.thought())

    def says(self, **more: object) -> Answer:
        """Closing words."""
        return Answer(self.text(10, 120), thinking=self.thought(), **more)  # type: ignore[arg-type]


@asynccontextmanager
async def begun(voice: Voice, file: Path, clock: Clock, seed: int) -> AsyncIterator[Life]:
    """A session before a provider of its own."""
    with CacheProvider(voice.cache, clock=clock, form=voice.form) as provider:
        life = Life(voice, provider, clock, file)
        results = random.Random(seed + 1)
        life.result = lambda arguments, job: " ".join(
            results.choices(WORDS, k=results.randint(20, 500))
        )
        await life.begin()
        yield life
        await life.end()


async def live(voice: Voice, file: Path, seed: int) -> Life:
    """A whole session; all that happened is in its ``events``."""
    script, clock = Script(seed, voice.thinks), Clock()
    async with begun(voice, file, clock, seed) as life:
        for chapter in CHAPTERS:
            await chapter(life, script)
    return life


async def turn(life: Life, script: Script, *answers: Answer, wait: float = 20.0) -> None:
    """One question, with these answers."""
    life.clock.wait(wait)
    life.provider.plays(answers)
    await life.ask(script.text(5, 60))


async def small_talk(life: Life, script: Script) -> None:
    """Prompts below the minimum, which then grow beyond it."""
    for _ in range(3):
        await turn(life, script, script.says())


async def work(life: Life, script: Script, turns: int = 5) -> None:
    """Turns of some calls each, long enough for epochs to end while the cache is warm."""
    for at in range(turns):
        steps = [script.calls(1 + at % 3) for _ in range(2 + at % 4)]
        await turn(life, script, *steps, script.says(), wait=15 + at)


async def many_at_once(life: Life, script: Script) -> None:
    """More content blocks in one turn than a mark looks back over."""
    for count in (12, 25, 40):
        await turn(life, script, script.calls(count), script.calls(2), script.says())


async def pauses(life: Life, script: Script) -> None:
    """Entries expire, the shorter-lived first, and epochs end at cold points."""
    for wait in (250, 320, 620, 900, 1_000, 1_900, 4_000, 600, 90_000, 30):
        await turn(life, script, script.calls(), script.says(), wait=wait)
    await work(life, script, 3)


async def other_model(life: Life, script: Script) -> None:
    """Another model and back, within an entry's life and after it."""
    own = life.session.model_name
    for away in (60.0, 100_000.0):
        await life.session.use_model(f"{own}-b")
        await turn(life, script, script.calls(), script.says())
        await life.session.use_model(own)
        await turn(life, script, script.calls(), script.says(), wait=away)
    await turn(life, script, script.says())


async def wishes(life: Life, script: Script) -> None:
    """What changes in front of the conversation, and what the user asks of the prompt."""
    await life.session.add_rule("Never prune in frost.")
    await turn(life, script, script.calls(), script.says())
    life.instructions = "Speak of trees. " * 30
    await turn(life, script, script.calls(), script.says())
    await life.session.remember("The key hangs behind the door.")
    await turn(life, script, script.says())
    await life.session.compact()
    await turn(life, script, script.calls(), script.says())
    await life.session.nap()
    await turn(life, script, script.calls(), script.says())
    await turn(life, script, script.says())


async def another_process(life: Life, script: Script) -> None:
    """Closed and gone on with, warm and cold."""
    for wait in (30.0, 5_000.0):
        await life.resume()
        await turn(life, script, script.calls(), script.says(), wait=wait)
        await turn(life, script, script.says())


async def broken(life: Life, script: Script) -> None:
    """Requests that fail, break off, are cut short or stopped."""
    await turn(life, script, Answer(status=503), script.calls(), script.says())
    await turn(life, script, script.calls(), script.says(breaks="cut"), script.says())
    await turn(life, script, script.says(stop="length"))
    await turn(life, script, script.calls(), Answer(status=400))
    await turn(life, script, script.calls(), script.says())
    await stopped(life, script)
    await turn(life, script, script.calls(), script.says())
    await turn(life, script, script.says())


async def stopped(life: Life, script: Script) -> None:
    """The user stops a reply that is on its way."""
    life.clock.wait(20)
    life.provider.plays([script.says(breaks="hang")])
    running = asyncio.create_task(life.session.prompt(script.text(5, 20)))
    async with asyncio.timeout(FOR_EVER):
        async for event in life.reader:
            life.events.append(event)
            if isinstance(event, TextDelta):
                break
    await life.session.cancel()
    await running
    life.drain()


CHAPTERS: tuple[Callable[[Life, Script], Awaitable[None]], ...] = (
    small_talk,
    work,
    many_at_once,
    other_model,
    pauses,
    wishes,
    another_process,
    broken,
    work,
)
