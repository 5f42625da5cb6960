"""Leaving: what stays in the region of the messages that fall off the tail.

Each message that has words becomes one line with the address of its whole, so that nothing that
was said or read is out of reach while its line stands. What the budget leaves over goes to
excerpts, what the user said first. Remembered nodes that were shown in the messages stay as
memories. Pure and deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.config import CONDENSE_CHARS, FALLEN_TOKENS, ITEM_TOKENS
from memory.context.condense import LINE_TOKENS, line_of
from memory.context.excerpt import excerpt
from memory.context.passages import fold
from memory.context.rebase import line_name
from memory.context.render import minute, render, speaker
from memory.context.signals import is_error
from memory.context.summary_chain import link, rendered
from memory.store.segment import match_terms
from memory.tokens import estimate
from memory.types import Entry, Item, Line, Node

LEAST_LINE = 16
"""Tokens of a line's words, however little the budget is: less says nothing."""
LEAST_EXCERPT = 40
"""Tokens of an excerpt beyond its heading; a smaller one only repeats the line."""
USER_EXCERPT = 400
"""Tokens of an excerpt of what the user said: most messages are whole in it."""
OTHER_EXCERPT = 240
"""Tokens of an excerpt of anything else."""
HEADING = 24
"""About the tokens of an address, a time and a speaker."""
QUESTION_TERMS = 32
"""Words of the question that relevance is judged by."""

_ROLES = {"user": 4.0, "assistant": 2.0, "tool": 1.0, "system": 1.0}
"""What the words of each are worth beside each other: results can be had again by their address,
what was concluded of them can not."""


@dataclass(frozen=True, slots=True)
class Left:
    """What is condensed, and by what."""

    entries: Sequence[Entry]
    """The messages, oldest first."""
    cut: Sequence[Entry]
    """Messages that stay, but show their memories no longer."""
    nodes: Mapping[str, Node]
    """Their nodes, and the remembered nodes among ``memories``, by id."""
    memories: Sequence[str] = ()
    """Ids of remembered nodes that are to stay."""
    found: frozenset[str] = frozenset()
    """Those of them that the running turn found, or that are pinned: shown at full size."""
    question: str = ""
    """What the user asked last."""
    segment: int = 0
    condense: float = 0.2
    """Share of the messages' tokens that stays."""


@dataclass(frozen=True, slots=True)
class Condensed:
    """What stays."""

    items: tuple[Item, ...] = ()
    """Memories; then lines and excerpts, oldest first."""
    lines: tuple[Line, ...] = ()


class _Message:
    """A message that leaves, and what is made of it."""

    def __init__(self, entry: Entry, node: Node, segment: int) -> None:
        self.entry, self.node, self.segment = entry, node, segment
        self.text = _ends(node.text)
        """What its excerpt is taken from."""
        self.shorten(LINE_TOKENS)
        self.excerpt: Item | None = None

    def shorten(self, tokens: int) -> None:
        """Write its line in at most so many tokens of words."""
        entry, node = self.entry, self.node
        line = link(
            *(entry.seq, entry.turn, entry.role, line_of(node, tokens)),
            *(node.at, node.id, node.meta.get("supplement") is True),
        )
        self.item = line_item(line, self.segment)
        self.line = replace(line, tokens=self.item.tokens)


def condensed(left: Left) -> Condensed:
    """Memories, lines and excerpts of what leaves, of about ``condense`` times its tokens; more
    only where the shortest lines are."""
    memories = _memories(left)
    room = left.condense * sum(entry.tokens for entry in left.entries)
    room -= sum(item.tokens for item in memories)
    messages = [
        _Message(entry, node, left.segment)
        for entry in left.entries
        if (node := left.nodes.get(entry.node or "")) is not None
    ]
    _shorten_lines(messages, room)
    _write_excerpts(messages, room - sum(each.item.tokens for each in messages), left)
    items = [*memories]
    for message in messages:
        items += [message.item, message.excerpt] if message.excerpt else [message.item]
    return Condensed(tuple(items), tuple(message.line for message in messages))


def line_item(line: Line, segment: int) -> Item:
    """A line as it stands in the prompt."""
    body = f"{minute(line.at)} {rendered(line)}"
    return Item(line_name(line), body, estimate(body), "line", segment)


def _ends(text: str) -> str:
    """The text, or its head and tail."""
    if len(text) <= CONDENSE_CHARS:
        return text
    tail = CONDENSE_CHARS // 3
    return f"{text[: CONDENSE_CHARS - tail]}\n{text[-tail:]}"


# ---- memories --------------------------------------------------------------------------------


def _memories(left: Left) -> list[Item]:
    """Rendered anew, by the question that each was found for."""
    asked: dict[str, str] = {}
    for entry in (*left.entries, *left.cut):
        for name in entry.shows:
            asked.setdefault(name, _question(entry, left.nodes))
    items = []
    for name in left.memories:
        if name in left.nodes:
            limit = ITEM_TOKENS if name in left.found else FALLEN_TOKENS
            body = render(left.nodes[name], limit, asked.get(name, ""))
            items.append(Item(name, body, estimate(body), "memory", left.segment))
    return items


def _question(entry: Entry, nodes: Mapping[str, Node]) -> str:
    """For what the memories of a message were found: what the user said in it, or what the hand
    that found them was asked."""
    node = nodes.get(entry.node or "")
    if node is None:
        return ""
    return node.text if node.role == "user" else node.text.partition("\n")[0]


# ---- lines -----------------------------------------------------------------------------------


def _shorten_lines(messages: Sequence[_Message], room: float) -> None:
    """Where lines would take more than there is, those that the user did not say become shorter
    alike."""
    over = sum(message.item.tokens for message in messages) - room
    others = [message for message in messages if message.node.role != "user"]
    words = sum(max(0, message.item.tokens - HEADING) for message in others)
    if over <= 0 or not words:
        return
    limit = max(LEAST_LINE, int(LINE_TOKENS * (1 - over / words)))
    for message in others:
        if message.item.tokens > HEADING + limit:
            message.shorten(limit)


# ---- excerpts --------------------------------------------------------------------------------


def _write_excerpts(messages: Sequence[_Message], room: float, left: Left) -> None:
    """Of the messages that are worth most, until the room is used."""
    terms = [fold(term) for term in match_terms(left.question)[:QUESTION_TERMS]]
    longer = [
        message
        for message in messages
        if estimate(message.text) > message.item.tokens + LEAST_EXCERPT
    ]
    worth = {message.entry.seq: _worth(message, terms) for message in longer}
    for message in sorted(longer, key=lambda each: (-worth[each.entry.seq], -each.entry.seq)):
        most = USER_EXCERPT if message.node.role == "user" else OTHER_EXCERPT
        tokens = int(min(most, room - HEADING))
        if tokens < LEAST_EXCERPT:
            break
        message.excerpt = _excerpt(message, tokens)
        room -= message.excerpt.tokens


def _excerpt(message: _Message, tokens: int) -> Item:
    node = message.node
    head = f"--- from {node.address} {minute(node.at)} UTC {speaker(node)} ---"
    body = f"{head}\n{excerpt(message.text, tokens)}"
    return Item(node.id, body, estimate(body), "excerpt", message.segment)


def _worth(message: _Message, terms: Sequence[str]) -> float:
    """By whose words they are, how many words of the question stand in them, and whether their line
    tells of an error."""
    folded = fold(message.text)
    near = sum(term in folded for term in terms) / len(terms) if terms else 0.0
    wrong = message.node.role != "user" and is_error(message.line.text)
    return _ROLES[message.node.role] * (1 + near + 0.5 * wrong)
