"""Conversation: what one session's turns work on, and the few ways in which it changes.

Each change is on disk before it is told. The prompt is always laid out from the rows that the
memory file holds, so a resumed session sends the bytes that it sent before.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from executors.trim import trim
from growbox_tui.agent.dispatch import Dispatch, Done
from growbox_tui.agent.events import (
    Event,
    MessageEnded,
    PlanChanged,
    PlanItem,
    Rebased,
    ToolEnded,
    WindowChanged,
    WindowItemView,
)
from growbox_tui.agent.limits import Learned, Limits
from growbox_tui.agent.messages import (
    CUT,
    Message,
    Part,
    Text,
    ToolResult,
    message_from_json,
    message_to_json,
)
from growbox_tui.agent.mind import Mind, View
from growbox_tui.agent.prompt import Seen
from growbox_tui.models.protocol import Model, Reply
from memory.context.render import shown_ids
from memory.tokens import estimate
from memory.types import NewNode, Node


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
    """The system blocks as they are now; read again at each new epoch."""
    read_file: Callable[[str], str]
    """For ``@path``."""
    today: Callable[[], str] = lambda: datetime.now().astimezone().date().isoformat()
    limits: Limits = field(default_factory=Limits)
    seen: Seen | None = None
    """The last request that went out."""
    requests: int = 0
    steering: deque[str] = field(default_factory=deque)
    """Words that the user added while a turn runs."""
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Node id → (first words, time) of remembered nodes, for the panel."""
    learned: Learned = field(default_factory=Learned)
    """What this model, or its server, taught us of itself."""
    cost: float | None = 0.0
    """US dollars so far; ``None`` once a price was not known."""

    # ---- sizes -------------------------------------------------------------------------------

    @property
    def usable(self) -> int:
        """Tokens that the prompt may take: the context window less room for the reply."""
        facts = self.model.facts
        known = [size for size in (facts.context, self.learned.context) if size]
        context = min(known, default=self.limits.unknown_context)
        return context - min(facts.max_output or 8_192, context // 4)

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

    # ---- the epoch ---------------------------------------------------------------------------

    async def ready(self) -> None:
        """Have an epoch whose hands are today's."""
        epoch = self.window.epoch
        if epoch is None:
            await self._begin("the session began", self.usable, 0)
        elif epoch.tools != self.tools:
            await self._begin("the hands changed with a new version", self.usable, self.usable)

    def real(self, estimated: int) -> int:
        """Estimated tokens in the model's own, as far as it has told how they compare."""
        return round(estimated * self.learned.ratio)

    async def make_room(self) -> None:
        """End the epoch when the window is full."""
        if self.real(self.window.tokens) > self.usable * self.limits.full:
            await self.shorten("the window was full")

    async def shorten(self, why: str) -> None:
        """End the epoch: keep the newest of the tail and the hottest memories."""
        room = self.usable / self.learned.ratio
        await self._begin(why, int(room * self.limits.keep), int(room * self.limits.region))

    async def shorten_for(self, limit: int | None) -> bool:
        """Shorten a prompt that the model refused as too long. Returns whether that helped.

        ``limit``: the context window that its server stated, in tokens; where it did not, the
        window is taken to be three quarters of what was refused.
        """
        before = self.window.tokens
        if limit:
            await self.learn(replace(self.learned, context=limit))
        else:  # a guess, for this session only
            self.learned = replace(self.learned, context=self.real(before) * 3 // 4)
        await self.shorten("the prompt was too long for the model")
        return self.window.tokens < before

    async def learn(self, learned: Learned) -> None:
        """Remember a property of the model, in this and in later sessions."""
        self.learned = learned
        await self.mind.keep(f"model:{self.model.name}", asdict(learned))

    async def use(self, model: Model) -> None:
        """Speak through this model from the next request on."""
        kept = await self.mind.kept(f"model:{model.name}", {})
        self.model, self.learned = model, Learned(**kept)

    async def _begin(self, why: str, keep: int, region: int) -> None:
        before = len(self.window.entries)
        first = self.window.epoch is None
        epoch = await self.mind.begin_epoch(
            self.window,
            tools=self.tools,
            system=self.system(),
            why=why,
            keep_tokens=keep,
            region_tokens=region,
        )
        if not first:
            dropped = before - len(self.window.entries)
            self.publish(Rebased(epoch.number, why, len(epoch.items), dropped))

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
        self, role: Literal["user", "assistant", "tool"], text: str, turn: int, kind: str = ""
    ) -> NewNode:
        """A node of this session."""
        return NewNode(
            role=role,
            text=text,
            project=str(self.project),
            session=self.window.session,
            turn=turn,
            kind=kind,
        )

    async def keep_reply(self, turn: int, reply: Reply) -> None:
        """Record a whole reply, then tell it."""
        words = reply.message.text
        node = self.node("assistant", words, turn) if words.strip() else None
        address = await self.add(turn, "assistant", reply.message.parts, node)
        self.publish(MessageEnded(address, words, reply.stop))

    async def keep_partial(self, turn: int, words: str) -> None:
        """Record what was shown of a reply that will not be finished."""
        if words.strip():
            text = Text(words + CUT)
            address = await self.add(
                turn, "assistant", (text,), self.node("assistant", words, turn)
            )
            self.publish(MessageEnded(address, words, "cut"))

    async def keep_result(self, turn: int, done: Done) -> None:
        """Record what came of a call, then tell it."""
        name, title, content = done.call.name, done.detail.title, done.content
        shows: tuple[str, ...] = ()
        if name == "recall":
            # What it brought is on the timeline already; a copy would be found in its stead.
            shows = shown_ids(content)
            found = " ".join(f"mem://{node_id}" for node_id in shows)
            node: NewNode | Node = self.node("tool", f"recall: {title}\n{found}", turn, kind=name)
        else:
            whole = f"{name}: {title}\n{content}" if title else content
            node, content = await self.trimmed(self.node("tool", whole, turn, kind=name), content)
        result = ToolResult(done.call.id, content, done.is_error)
        address = await self.add(turn, "tool", (result,), node, shows)
        self.publish(
            ToolEnded(done.call.id, name, done.is_error, done.detail, done.seconds, address)
        )
        if done.plan is not None:
            self.publish(PlanChanged(tuple(PlanItem(text, state) for text, state in done.plan)))  # type: ignore[arg-type]

    async def trimmed(self, node: NewNode, content: str) -> tuple[NewNode | Node, str]:
        """What the model reads of a content, and the node that keeps the whole of it."""
        if len(content) <= self.limits.result_chars:
            return node, content
        kept = await self.mind.remember(node)
        return kept, trim(content, self.limits.result_chars, kept.address)

    async def mend(self, turn: int, why: str) -> int:
        """Give every call without a result one that says why. Returns how many there were."""
        answered: set[str] = set()
        open_calls: list[tuple[str, str]] = []
        for entry in self.window.entries:
            message = message_from_json(entry.body)
            open_calls += [(call.id, call.name) for call in message.calls]
            answered |= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
        missing = [(call, name) for call, name in open_calls if call not in answered]
        for call, name in missing:
            printed = self.dispatch.printed(call)
            words = f"{printed}\n[{why}]" if printed else why
            node = self.node("tool", f"{name}: {words}", turn, kind=name)
            await self.add(turn, "tool", (ToolResult(call, words, is_error=True),), node)
        return len(missing)

    # ---- small things ------------------------------------------------------------------------

    def surroundings(self) -> str:
        """Date and folder, where the prompt does not hold them yet; empty where it does."""
        words = f"[{self.today()}; folder {self.project}]"
        stored = json.dumps(words, ensure_ascii=False)[1:-1]
        return "" if any(stored in entry.body for entry in self.window.entries) else words

    def show_window(self) -> None:
        """Tell what the model has before it."""
        items = []
        for node_id, heat, place, tokens in self.window.hottest():
            label, at = self.labels.get(node_id) or self._label_from_prompt(node_id)
            items.append(WindowItemView(f"mem://{node_id}", label, at, heat, tokens, place))
        self.publish(WindowChanged(tuple(items)))

    def _label_from_prompt(self, node_id: str) -> tuple[str, str]:
        """First words and time of a memory that an earlier process rendered."""
        epoch = self.window.epoch
        bodies = [item.body for item in epoch.items if item.node == node_id] if epoch else []
        bodies += [
            part.text if isinstance(part, Text) else part.content
            for entry in self.window.entries
            if node_id in entry.shows
            for part in message_from_json(entry.body).parts
            if isinstance(part, Text | ToolResult)
        ]
        for body in bodies:
            found = re.search(rf"mem://{node_id} ([\d-]+ [\d:]+)[^\n]*\n([^\n]*)", body)
            if found:
                self.labels[node_id] = (found[2][:80], found[1])
                return self.labels[node_id]
        return node_id, ""
