"""A conversation for tests: what is said, run and found in it, with budgets in whole tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory import Memory
from memory.memory import Window
from memory.tokens import estimate
from memory.types import Budget, Entry, Epoch, Item, ItemKind, NewNode, Node

TOOLS, SYSTEM = ('{"name":"shell"}',), ("You are growbox.", "rules")
BUDGET = Budget(4_000, 400, 1_200, 800, 1_600, 400)


@dataclass(slots=True)
class Talk:
    """One session, its window, and its budget."""

    memory: Memory
    window: Window
    budget: Budget = BUDGET
    project: str = "/p"
    turn: int = 0

    @classmethod
    async def begun(cls, memory: Memory, budget: Budget = BUDGET, project: str = "/p") -> Talk:
        """A new session whose first epoch has begun."""
        window = await memory.window(await memory.open_session(project, "x/y"))
        talk = cls(memory, window, budget, project)
        await talk.rebase(cold=True)
        return talk

    async def rebase(
        self, budget: Budget | None = None, *, cold: bool = False, standing: Sequence[str] = ()
    ) -> Epoch:
        """End the epoch."""
        return await self.memory.begin_epoch(
            self.window,
            tools=TOOLS,
            system=SYSTEM,
            why="full",
            budget=budget or self.budget,
            cold=cold,
            shorten=shortened,
            standing=standing,
        )

    async def make_room(self) -> None:
        """End the epoch if the tail has outgrown its part, as the spine does before a request."""
        if self.window.tail_tokens > self.budget.tail_high:
            await self.rebase()

    async def ask(self, words: str, found: Sequence[Node] = ()) -> Entry:
        """The user's next question, with what was found for it."""
        self.turn += 1
        self.window.touch([node.id for node in found])
        shows = [node for node in found if not self.window.holds(node.id)]
        body = "\n".join([*(node.text for node in shows), words])
        return await self._record("user", words, body, tuple(node.id for node in shows))

    async def answer(self, words: str) -> Entry:
        """What the model says."""
        return await self._record("assistant", words, words)

    async def run(self, command: str, output: str) -> Entry:
        """A call and what came of it."""
        await self._record("assistant", "", f"call {command}")
        return await self._record("tool", f"shell: {command}\n{output}", output, kind="shell")

    async def look(self, words: str, found: Sequence[Node]) -> Entry:
        """A call that looks into memory, and what it brought."""
        await self._record("assistant", "", f"call recall {words}")
        shows = tuple(node.id for node in found)
        body = "\n".join(node.text for node in found)
        return await self._record("tool", f"recall: {words}", body, shows, "recall")

    async def _record(
        self,
        role: str,
        words: str,
        body: str,
        shows: tuple[str, ...] = (),
        kind: str = "",
        meta: dict[str, object] | None = None,
    ) -> Entry:
        node = NewNode(
            role,  # type: ignore[arg-type]
            words,
            *(self.project, self.window.session, self.turn, kind),
            meta or {},
        )
        return await self.memory.record(
            self.window,
            turn=self.turn,
            role=role,  # type: ignore[arg-type]
            body=body,
            tokens=estimate(body),
            node=node if words else None,
            shows=shows,
        )

    async def steer(self, words: str) -> Entry:
        """What the user adds while the agent runs."""
        return await self._record("user", words, words, meta={"supplement": True})

    def rendered(self) -> list[str]:
        """The prompt's bytes in their order."""
        epoch = self.window.epoch
        assert epoch is not None
        bodies = [entry.body for entry in self.window.entries]
        return [*epoch.tools, *epoch.system, *(item.body for item in epoch.items), *bodies]

    def items(self, kind: ItemKind) -> list[Item]:
        """Of the region."""
        return [item for item in self.window.items if item.kind == kind]

    def memories(self) -> list[str]:
        """Ids of the remembered nodes in the region."""
        return [item.node for item in self.items("memory")]


def shortened(entry: Entry, tokens: int) -> Entry:
    """Of a giant result its beginning and its address; other messages stay as they are."""
    if entry.role != "tool":
        return entry
    body = f"{entry.body[: tokens * 2]} … mem://{entry.node}"
    return replace(entry, body=body, tokens=estimate(body))
