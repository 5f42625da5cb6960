"""Mind: what the spine asks of memory. ``memory.Memory`` fits it without knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, Protocol

from memory.recall.overview import Jump, MemoryMap
from memory.recollection import Query, Recollection, Step
from memory.types import Budget, Entry, Epoch, Line, MemoryState, NewNode, Node, Rule, RuleAdded


class View(Protocol):
    """The window of one session: what the model has before it. Read-only to the spine."""

    @property
    def session(self) -> str:
        """Whose it is."""

    @property
    def epoch(self) -> Epoch | None:
        """The running epoch; ``None`` before the first request."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The tail, oldest first."""

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt."""

    @property
    def tail_tokens(self) -> int:
        """Estimated tokens of the tail."""

    @property
    def region_tokens(self) -> int:
        """Estimated tokens of the region."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The summary chain, oldest first."""

    @property
    def pinned(self) -> tuple[str, ...]:
        """Ids of the nodes that the user pinned."""

    @property
    def evicted(self) -> frozenset[str]:
        """Ids of the nodes that the user dropped and that stand there still."""

    @property
    def remembered(self) -> frozenset[str]:
        """Ids of all nodes that stand in the prompt beside the messages themselves."""

    @property
    def leaving(self) -> frozenset[str]:
        """Those of the dropped that the epoch's end takes."""

    @property
    def turns(self) -> int:
        """The highest turn number so far."""

    def holds(self, node_id: str) -> bool:
        """Whether a memory already stands in the prompt."""

    def touch(self, ids: Sequence[str]) -> None:
        """These were needed again: heat, never bytes."""

    def hottest(self) -> list[tuple[str, float, Literal["region", "tail"], int]]:
        """(node id, heat, place, tokens) of every remembered node in the prompt, hottest first."""


class Mind(Protocol):
    """The verbs that a turn needs. All may raise ``memory.MemoryFileError``."""

    async def recall(
        self, query: Query, told: Callable[[Step], None] | None = None
    ) -> Recollection:
        """Find memories that bear on a question. ``told`` is called after each step."""

    async def why(self, session: str) -> Recollection | None:
        """The last recollection of a session."""

    async def confirm(
        self,
        recollection_id: int,
        used: Sequence[str],
        source: Literal["cited", "judge", "user"] = "cited",
    ) -> None:
        """These memories were what a recollection's question needed. Raises ``LookupError``."""

    async def wrong(self, recollection_id: int, node_ids: Sequence[str] = ()) -> Recollection:
        """These memories, or all of them, were not what was meant; what a deeper look brings.
        Raises ``LookupError``."""

    async def map(self) -> MemoryMap:
        """What was read, and what was learned."""

    async def jump(
        self, target_id: str, *, source_id: str = "", session: str = "", words: str = ""
    ) -> Jump:
        """Lead questions to a memory, for good. Raises ``LookupError``, ``ValueError``."""

    async def jumps(self) -> tuple[Jump, ...]:
        """Where the user pointed, newest first."""

    async def quoted(self, words: str) -> Node | None:
        """The memory that these words quote."""

    async def undo_jump(self, number: int) -> Jump | None:
        """Take back where the user pointed; ``None`` if there is no such jump."""

    async def remember(self, new: NewNode) -> Node:
        """Add to the timeline; durable when it returns."""

    async def refer(self, address: str) -> Node | None:
        """The whole node behind a ``mem://`` address."""

    async def record(
        self,
        window: Any,
        *,
        turn: int,
        role: Literal["user", "assistant", "tool"],
        body: str,
        tokens: int,
        node: NewNode | Node | None = None,
        shows: Sequence[str] = (),
    ) -> Entry:
        """Append a message to the conversation, with its node, in one transaction."""

    async def begin_epoch(
        self,
        window: Any,
        *,
        tools: tuple[str, ...],
        system: tuple[str, ...],
        why: str,
        budget: Budget,
        cold: bool,
        shorten: Callable[[Entry, int], Entry] | None = None,
        standing: Sequence[str] = (),
        policy: Literal["literal", "soft", "hard"] = "literal",
    ) -> Epoch:
        """Start the next epoch with a shorter (or the first) prompt."""

    async def nap(self, window: Any, *, tools: tuple[str, ...], system: tuple[str, ...]) -> Epoch:
        """Clear conversation and working set; keep all long memory."""

    async def rules(self, session: str) -> tuple[Rule, ...]:
        """What the user stated as a rule, in order."""

    async def add_rule(
        self, session: str, text: str, source: Literal["stated", "steered"]
    ) -> RuleAdded:
        """State a rule: kept, merged or refused."""

    async def edit_rule(self, session: str, number: int, text: str) -> RuleAdded:
        """Reword a rule. Raises ``LookupError``."""

    async def drop_rule(self, session: str, number: int) -> tuple[Rule, ...]:
        """Take a rule back. Raises ``LookupError``."""

    async def pin(self, window: Any, node_id: str) -> Node | None:
        """Force a memory into the prompt, and let no sweep take it; ``None`` if there is none."""

    async def unpin(self, window: Any, node_id: str) -> None:
        """It goes as any other does."""

    async def evict(self, window: Any, node_id: str) -> None:
        """Have a memory leave at the epoch's end, unless it is found again before."""

    async def reload(self, window: Any, iri: str) -> Node | None:
        """Bring back a line that left the summary chain."""

    async def found(
        self, window: Any, ids: Sequence[str], placeholders: Collection[str] = ()
    ) -> None:
        """These were found again, the best first: heat, and lines that had left come back.
        ``placeholders``: those that the approximate index alone brought."""

    async def set_model(self, session: str, model: str) -> None:
        """Another voice goes on with the conversation."""

    async def note_request(
        self, session: str, epoch: int, body: str, kept: Mapping[str, Any] | None = None
    ) -> None:
        """Keep a request's ledger entry, and small settings with it, in one transaction."""

    async def requests(self, session: str) -> list[tuple[int, int, str]]:
        """(milliseconds, epoch, record) of each request of a session, oldest first."""

    async def request_figures(self, names: Sequence[str], since: int = 0) -> list[tuple[Any, ...]]:
        """These fields of the records of all sessions from a time on, oldest first."""

    async def keep(self, key: str, value: Any) -> None:
        """Keep a small setting."""

    async def kept(self, key: str, default: Any = None) -> Any:
        """A small setting that was kept."""

    async def kept_under(self, prefix: str, over: int = 0) -> dict[str, Any]:
        """Key → value of the settings whose keys begin so and that take more characters."""

    async def settle(self, seconds: float) -> int:
        """Embed what is pending, behind the turn."""

    async def state(self) -> MemoryState:
        """Figures for panels."""
