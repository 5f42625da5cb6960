"""Conversation: what one session's turns work on.

Its state, and how a message gets into it. Each change is on disk before it is told. The prompt is
always laid out from the rows that the memory file holds, so a resumed session sends the bytes that
it sent before. How epochs end is in ``room``, how replies and results are kept in ``records``.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from growbox_tui.agent.behind import Then, nothing
from growbox_tui.agent.dispatch import Dispatch
from growbox_tui.agent.errata import Errata, Front
from growbox_tui.agent.events import Event, PlanItem
from growbox_tui.agent.expected import Expected
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.limits import KeepWarm, Learned, Limits, Wanted
from growbox_tui.agent.looks import Looks
from growbox_tui.agent.messages import Message, Part, message_to_json
from growbox_tui.agent.mind import Mind, View
from growbox_tui.models.cache_rules import CacheRules, rules_of
from growbox_tui.models.protocol import Model
from memory.context.constraints import render_rules
from memory.context.economy import AppendRate
from memory.tokens import estimate
from memory.types import NewNode, Node, Rule


@dataclass(slots=True)
class Conversation:
    """One session at work."""

    project: Path
    model: Model
    mind: Mind
    window: View
    dispatch: Dispatch
    publish: Callable[[Event], None]
    tools: tuple[str, ...]
    """The hands as they are now; the running epoch may hold an older set."""
    system: Callable[[], tuple[str, ...]]
    """The system text, the words about hands, and project instructions where there are any, as
    they are now."""
    read_file: Callable[[str], str]
    """For ``@path``."""
    today: Callable[[], str] = lambda: datetime.now().astimezone().date().isoformat()
    limits: Limits = field(default_factory=Limits)
    wanted: Wanted = field(default_factory=Wanted)
    keep_warm: KeepWarm = field(default_factory=KeepWarm)
    now: Callable[[], float] = time.time
    """Seconds since the epoch."""
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    """Model → what is known of its cache."""
    spoke: str = ""
    """The model that was asked last in this session."""
    requests: int = 0
    steering: deque[str] = field(default_factory=deque)
    """Words that the user added while a turn runs."""
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Node id → (first words, time) of remembered nodes, for the panel."""
    learned: Learned = field(default_factory=Learned)
    """What this model, or its server, taught us of itself."""
    cost: float | None = 0.0
    """US dollars so far; ``None`` once a price was not known."""
    rules: tuple[Rule, ...] = ()
    """What the user stated as a rule, or added while the agent ran."""
    errata: Errata = field(default_factory=Errata)
    """What the model has been told of changes in front of the conversation."""
    plan: tuple[PlanItem, ...] = ()
    """The newest plan."""
    waiting: tuple[str, ...] = ()
    """Ids of nodes that go into the next user message."""
    rate: AppendRate = field(default_factory=AppendRate)
    """Tokens that a call appends to the prompt."""
    grown_from: tuple[int, int] = (0, 0)
    """(epoch, tokens of the prompt) at the last request, to tell the rate by."""
    settled_tail: int = 0
    """Tokens of the tail that the running epoch began with, where this process began it."""
    told_narrow: bool = False
    """Whether it was told that the window that the user set is too small."""
    looks: Looks = field(default_factory=Looks)
    """What memory was asked in this turn, and which of it was used."""
    idle: Then = nothing
    """What is done when nothing else is, see ``Behind``."""
    sent: Expected | None = None
    """The newest request of this epoch that was answered: what keeps its cache alive."""

    # ---- sizes -------------------------------------------------------------------------------

    @property
    def usable(self) -> int:
        """Tokens that the prompt may take: the context window less room for the reply."""
        facts = self.model.facts
        known = [size for size in (facts.context, self.learned.context) if size]
        context = min(known, default=self.limits.unknown_context)
        return context - min(facts.max_output or 8_192, context // 4)

    @property
    def limit(self) -> int | None:
        """The model's context or the window that the user wants, whichever is smaller; ``None``
        where neither is known. In the model's own tokens."""
        sizes = (self.model.facts.context, self.learned.context, self.wanted.window)
        return min((size for size in sizes if size), default=None)

    @property
    def with_tools(self) -> bool:
        """Whether hands are offered."""
        return self.model.takes_tools and self.learned.tools

    @property
    def recall_budget(self) -> int:
        """Tokens that one recall may add."""
        return min(self.limits.recall_tokens, self.usable // 8)

    @property
    def attach_budget(self) -> int:
        """Characters of mentioned files."""
        return min(self.limits.attach_chars, self.usable * 3 // 2)

    def real(self, estimated: int) -> int:
        """Estimated tokens in the model's own, as far as it has told how they compare."""
        return round(estimated * self.learned.ratio)

    # ---- the cache ---------------------------------------------------------------------------

    @property
    def cache_rules(self) -> CacheRules:
        """What the model's cache promises."""
        return rules_of(self.model)

    # ---- the model ---------------------------------------------------------------------------

    async def learn(self, learned: Learned) -> None:
        """Remember a property of the model, in this and in later sessions."""
        self.learned = learned
        await self.mind.keep(f"model:{self.model.name}", asdict(learned))

    async def use(self, model: Model) -> None:
        """Speak through this model from the next request on."""
        kept = await self.mind.kept(f"model:{model.name}", {})
        self.model, self.learned = model, Learned(**kept)

    # ---- what stands in front ----------------------------------------------------------------

    def front(self) -> Front:
        """What stands, or shall stand, in front of the conversation as things are now."""
        said = self.system()[2:]
        texts = tuple(rule.text for rule in self.rules)
        return Front("\n".join(said), texts, self.dispatch.hands.late())

    def system_now(self) -> tuple[str, ...]:
        """The system blocks of an epoch that begins now: words, instructions, rules."""
        block = render_rules(self.rules)
        return (*self.system(), block) if block else self.system()

    async def keep(self, name: str, value: Any) -> None:
        """Keep a small thing of this session's."""
        await self.mind.keep(f"{name}:{self.window.session}", value)

    # ---- what is kept ------------------------------------------------------------------------

    async def add(
        self,
        turn: int,
        role: Literal["user", "assistant", "tool"],
        parts: Sequence[Part],
        node: NewNode | Node | None,
        shows: Sequence[str] = (),
    ) -> str:
        """Record a message. Returns the address of its node, empty where it has none."""
        body = message_to_json(Message(role, tuple(parts)))
        entry = await self.mind.record(
            self.window,
            turn=turn,
            role=role,
            body=body,
            tokens=estimate(body),
            node=node,
            shows=shows,
        )
        return f"mem://{entry.node}" if entry.node else ""

    def node(
        self,
        role: Literal["user", "assistant", "tool"],
        text: str,
        turn: int,
        kind: str = "",
        **meta: Any,
    ) -> NewNode:
        """A node of this session."""
        return NewNode(
            role=role,
            text=text,
            project=str(self.project),
            session=self.window.session,
            turn=turn,
            kind=kind,
            meta=meta,
        )

    def surroundings(self) -> str:
        """Date and folder, where the prompt does not hold them yet; empty where it does."""
        words = f"[{self.today()}; folder {self.project}]"
        stored = json.dumps(words, ensure_ascii=False)[1:-1]
        return "" if any(stored in entry.body for entry in self.window.entries) else words
