"""Real sessions before a provider with a cache: real memory, real wires, a clock that stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from executors.protocol import Arguments, Job
from growbox_tui.agent.asking import Asking
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Dispatch
from growbox_tui.agent.events import Event, SessionOpened, UsageReported
from growbox_tui.agent.gate import Policy
from growbox_tui.agent.limits import Limits, Wanted
from growbox_tui.agent.session import Session
from growbox_tui.agent.stream import EventStream, Reader
from growbox_tui.agent.take_up import take_up
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.cache_fields import CacheFields, fields_for
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Model, ModelFacts
from memory.memory import Memory
from tests.doubles.cache_models import CACHES, Cache
from tests.doubles.cache_provider import CacheProvider, Clock, Form
from tests.doubles.hands import FewHands, Hand

FACTS = ModelFacts(200_000, 8_000, 2e-6, 1e-5, 1e-7, 2.5e-6)
CLAUDE = replace(FACTS, min_cache_tokens=512)


@dataclass(frozen=True, slots=True)
class Voice:
    """A model as a user would name it, and the cache behind it."""

    name: str
    cache: Callable[[], Cache]
    fields: CacheFields | None = None
    """What its server is sent about its cache."""
    form: Form = ""
    thinks: bool = False
    """Whether its replies begin with reasoning."""

    def open(self, url: str, name: str = "") -> Model:
        """It, or another model of the same provider, at a loopback address."""
        name = name or self.name
        if name.startswith("anthropic/"):
            return AnthropicModel(name, base_url=url, facts=CLAUDE)
        return OpenAIModel(name, base_url=url, facts=FACTS, fields=self.fields)


def _voice(name: str, cache: str, fields: CacheFields | None = None, **more: object) -> Voice:
    fields = fields_for(name) if fields is None else fields
    return Voice(name, CACHES[cache], fields, **more)  # type: ignore[arg-type]


KEYED = CacheFields(key="prompt_cache_key")
VOICES = {
    "anthropic_5m": _voice("anthropic/claude-sonnet-5-5", "anthropic_5m", thinks=True),
    "anthropic_1h": _voice("anthropic/claude-opus-4-5", "anthropic_1h", thinks=True),
    "openai_auto": _voice("openai/gpt-5.4", "openai_auto", KEYED),
    "openai_auto_24h": _voice("openai/gpt-5.4", "openai_auto_24h"),
    "gpt6_implicit": _voice("openai/gpt-6.1-sol", "gpt6_implicit", KEYED),
    "gpt6_explicit": _voice("openai/gpt-6.1-sol", "gpt6_explicit"),
    "deepseek_v4": _voice("deepseek/deepseek-v4-pro", "deepseek_v4", form="deepseek", thinks=True),
    "llamacpp_slot": _voice("llamacpp/m", "llamacpp_slot", thinks=True),
    "gemini": _voice("gemini/gemini-3-flash", "gemini", CacheFields()),
    "qwen": _voice("dashscope/qwen3-coder-plus", "qwen"),
    "kimi": _voice("moonshot/kimi-k3", "kimi", form="kimi"),
    "grok": _voice("xai/grok-4.7", "grok"),
}
"""By the name of the model of their cache."""


@dataclass
class Life:
    """One session through all its processes."""

    voice: Voice
    provider: CacheProvider
    clock: Clock
    file: Path
    window: int = 20_000
    memory: Memory = field(init=False)
    session: Session = field(init=False)
    reader: Reader = field(init=False)
    hands: FewHands = field(init=False)
    events: list[Event] = field(default_factory=list)
    instructions: str = ""
    result: Callable[[Arguments, Job], str] = lambda arguments, job: "nothing"
    """What the one hand ``look`` answers."""

    async def begin(self, session: str = "") -> None:
        """A process of its own, as far as the session can tell; ``session`` goes on with one."""
        self.memory = await Memory.open(self.file)
        self.hands = FewHands(Hand("look", lambda arguments, job: self.result(arguments, job)))
        model, stream = self.voice.open(self.provider.url), EventStream()
        policy = Policy(Path("/orchard"), lambda path: False)
        resumed = bool(session)
        session = session or await self.memory.open_session("/orchard", model.name)
        talk = Conversation(
            project=Path("/orchard"),
            model=model,
            mind=self.memory,
            window=await self.memory.window(session),
            dispatch=Dispatch(self.hands, policy, Asking(stream.publish)),
            publish=stream.publish,
            tools=self.hands.tools(),
            system=self._system,
            read_file=lambda path: "",
            today=lambda: "2026-05-03",
            limits=Limits(),
            wanted=Wanted(self.window),
            now=self.clock,
        )
        await talk.use(model)
        await take_up(talk)
        self.session = Session(
            talk,
            stream,
            open_model=self._open_model,
            opened=SessionOpened(session, "/orchard", model.name, "", resumed, 0, 0),
            transcript=await self.memory.transcript(session) if resumed else [],
            embed="behind",
        )
        self.reader = stream.reader()
        await self.session.start()

    def _system(self) -> tuple[str, ...]:
        words = ("You work in an orchard. " * 20, "Use your hands, and think first. " * 30)
        return (*words, self.instructions) if self.instructions else words

    async def _open_model(self, name: str) -> Model:
        return self.voice.open(self.provider.url, name)

    async def ask(self, text: str) -> list[Event]:
        """One whole turn, and what happened in it."""
        await self.session.prompt(text)
        return self.drain()

    def drain(self) -> list[Event]:
        """What has happened since the last look."""
        fresh = list(self.reader.drain())
        self.events += fresh
        return fresh

    @property
    def reports(self) -> list[UsageReported]:
        """What came of each request."""
        self.drain()
        return [event for event in self.events if isinstance(event, UsageReported)]

    async def end(self) -> None:
        """The process ends."""
        await self.session.close()
        self.drain()
        await self.memory.close()

    async def resume(self) -> None:
        """It ends, and another goes on."""
        name = self.session.id
        await self.end()
        await self.begin(name)


def asked(text: str) -> tuple[str, dict[str, str]]:
    """A call of the one hand."""
    return "look", {"at": text}
