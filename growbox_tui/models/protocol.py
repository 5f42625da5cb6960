"""Model: one voice. A request goes in, deltas come out, and last a whole reply.

What can go wrong, and whether another try helps:

    ModelError
    ├── Unreachable    nobody answered, or it broke before anything was shown    retry
    ├── Overloaded     500, 502, 503, 504, 408, 529                              retry
    ├── RateLimited    429; ``retry_after`` in seconds where it was said         retry
    ├── Silent         no content for too long                                   retry
    ├── EmptyReply     a success without a word                                  retry once
    ├── CutStream      the stream broke after something was shown                retry, marked
    ├── BadReply       not the protocol: an HTML page, a body of another kind
    ├── Unauthorised   401, 403, or no key at all
    ├── QuotaSpent     429 or 402 that waiting does not mend
    ├── UnknownModel   404, or a name that no provider has
    ├── TooLong        the prompt is longer than the context window; ``limit`` where it was said
    └── Rejected       any other 4xx
        └── NoTools    refused because tools were sent; without them it may be answered
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from growbox_tui.agent.messages import Message, StopReason, Usage


class ModelError(Exception):
    """A model could not answer. ``text`` says what happened, ``hint`` what to do."""

    retryable = False

    def __init__(self, text: str, hint: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        self.retry_after = retry_after
        """Seconds that the provider asked us to wait; ``None`` when it did not say."""


class Unreachable(ModelError):
    """Nobody answered at the address."""

    retryable = True


class Overloaded(ModelError):
    """The provider has trouble of its own."""

    retryable = True


class RateLimited(ModelError):
    """Too many requests; waiting helps."""

    retryable = True


class Silent(ModelError):
    """The stream stood still for longer than the limit."""

    retryable = True


class EmptyReply(ModelError):
    """A success that held neither words nor calls."""

    retryable = True


class CutStream(ModelError):
    """The stream broke after part of the reply was shown."""

    retryable = True


class BadReply(ModelError):
    """The answer was not in the protocol's form."""


class Unauthorised(ModelError):
    """The key is missing, wrong, or not allowed this."""


class QuotaSpent(ModelError):
    """The account has nothing left; waiting does not help."""


class UnknownModel(ModelError):
    """No such model, or no such provider."""


class TooLong(ModelError):
    """The prompt does not fit the model's context window."""

    def __init__(
        self,
        text: str,
        hint: str = "",
        *,
        retry_after: float | None = None,
        limit: int | None = None,
    ) -> None:
        super().__init__(text, hint, retry_after=retry_after)
        self.limit = limit
        """The context size in tokens as the server stated it; ``None`` when it did not."""


class Rejected(ModelError):
    """The provider refused the request as it was put."""


class NoTools(Rejected):
    """The model or its server takes no tools; the same request without them may be answered."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model without asking it. Prices in US dollars a token."""

    context: int | None = None
    """Tokens that prompt and reply may take together."""
    max_output: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    min_cache_tokens: int = 0
    """Prefixes shorter than this are not cached."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a request asks for a cache entry: behind this block."""

    place: Literal["system", "message"]
    index: int
    """Into ``Request.system`` or ``Request.messages``."""
    long: bool = False
    """Whether the entry shall live for an hour instead of minutes."""
    read_only: bool = False
    """Offered for reading an older entry; nothing new is written there."""
    part: int | None = None
    """Into the message's parts, where the mark stands within it (a segment of the region);
    ``None`` is behind its last block."""


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt, laid out most stable first. Nothing in it is ever reordered by a voice."""

    tools: tuple[str, ...]
    """Each one canonical JSON: ``{"name", "description", "parameters"}``, sorted by name."""
    system: tuple[str, ...]
    """Text blocks: the system text, then rules and project instructions where there are any."""
    messages: tuple[Message, ...]
    """The region (as a user message, if any), then the tail."""
    session: str = ""
    """A stable key for providers that route by one."""
    max_output: int | None = None
    marks: tuple[Mark, ...] = ()
    """In prompt order; empty where the provider caches without being asked."""
    carried: int = 0
    """How many leading messages were taken over from an earlier epoch: what stood before them
    then was something else, so reasoning in them that is bound to its prefix must stay out."""
    schema: str = ""
    """A JSON schema, as JSON: the reply is to be one object of this shape, drawn at temperature 0;
    its text, or the arguments of a call where the format has no better. A server that knows none
    refuses the request as ``Rejected``. Not together with ``tools``."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More visible words."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """More reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole answer; always the last thing that a stream yields."""

    message: Message
    stop: StopReason
    usage: Usage | None
    """``None`` when the provider reported none."""
    broken: dict[str, str] = field(default_factory=dict)
    """Call id → why the call must not be run (cut, malformed, …). Such calls are answered with
    the reason; their arguments in ``message`` are valid JSON (``{}`` where they were not)."""
    notice: str = ""
    """Something the user should hear: an unknown finish reason, a damaged byte."""


Delta = TextPiece | ThinkingPiece | Reply


class Model(Protocol):
    """One voice, chosen by a litellm name (``provider/name``)."""

    @property
    def name(self) -> str:
        """``provider/name``."""

    @property
    def facts(self) -> ModelFacts:
        """Context size and prices, as far as they are known."""

    @property
    def takes_tools(self) -> bool:
        """Whether it may be offered hands. The bundled model may not."""

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Pieces as they come, then one ``Reply``.

        Failure is a ``ModelError``; nothing else is raised but ``CancelledError``. Closing the
        iterator, or cancelling the task, ends the request within a second. A voice never retries.
        """

    async def close(self) -> None:
        """Let go of connections and weights."""


@runtime_checkable
class Foresees(Protocol):
    """A voice that can say beforehand what its own cache will serve of a request."""

    async def foresee(self, request: Request) -> tuple[int, int] | None:
        """(tokens of the prompt, tokens of them that need not be evaluated), by what this voice
        was sent and said before, not by asking its engine. ``None`` where it cannot say. Raises
        ``ModelError``: the first time its weights may be loaded for it."""
