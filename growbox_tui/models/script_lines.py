"""The line language of scripts: text in, the replies to be played out.

A script is plain text. ``#`` starts a comment line; blank lines count for nothing. First come
headers, then replies separated by a line ``---``.

Headers, each at most once:

    pace SECONDS        wait so long between two pieces (default 0)
    facts KEY=VALUE …   what is known of the model: context, max_output, input, output, read, write
                        (the last four are prices in US dollars a token)
    tools off           it may not be offered hands
    count on            replies without a ``usage`` line report counted tokens (default: none)

Lines of a reply, in the order they are played. Thoughts come before words, words before calls;
neighbouring ``say`` (or ``think``) lines are joined by a newline, and a bare ``say`` is an empty
line:

    when TEXT           (first) pass over this reply unless the newest message holds TEXT
    else                (first) play this reply only if the one before it was passed over
    expect TEXT         fail with ``BadReply`` unless some message of the request holds TEXT
    think TEXT          reasoning
    say TEXT            visible words
    call NAME {json}    ask for a hand; the arguments are sent as they are written here
    usage KEY=VALUE …   input, output, read, write, reasoning
    wait SECONDS        stand still
    stop REASON         end, length, refusal or unknown
    fail KIND TEXT      fail so; KIND is a name of the error tree in lower case; ``after=SECONDS``
                        may stand before TEXT
    cut                 the stream breaks here
    hang                nothing more comes until it is cancelled

``fail``, ``cut`` and ``hang`` end a reply. Anything else is an error that names file and line.
"""

from __future__ import annotations

import json

from growbox_tui.agent.messages import StopReason, Usage
from growbox_tui.models import protocol
from growbox_tui.models.protocol import BadReply, ModelError, ModelFacts
from growbox_tui.models.script_steps import (
    Block,
    Call,
    Cut,
    Expect,
    Fail,
    Hang,
    Say,
    Script,
    Step,
    Think,
    Wait,
)

_HINT = "The line language is described in growbox_tui/models/script_lines.py."
_STOPS: dict[str, StopReason] = {
    "end": "end", "length": "length", "refusal": "refusal", "unknown": "unknown",
}  # fmt: skip
_FACTS = {
    "context": "context", "max_output": "max_output", "input": "input_price",
    "output": "output_price", "read": "cache_read_price", "write": "cache_write_price",
}  # fmt: skip
_USAGE = {
    "input": "input", "output": "output", "read": "cache_read", "write": "cache_write",
    "reasoning": "reasoning",
}  # fmt: skip
ERRORS: dict[str, type[ModelError]] = {
    kind.__name__.lower(): kind
    for kind in vars(protocol).values()
    if isinstance(kind, type) and issubclass(kind, ModelError) and kind is not ModelError
}
"""The error tree by its names in lower case."""


class _Reader:
    """Reads one script line by line and knows where it is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.headers: dict[str, object] = {}
        self.blocks: list[Block] = []
        self._start = 0
        self._steps: list[Step] = []
        self._fields: dict[str, object] = {}

    def wrong(self, words: str) -> BadReply:
        return BadReply(f"{self.name}, line {self.line}: {words}", _HINT)

    def read(self, text: str) -> None:
        for number, raw in enumerate(text.split("\n"), 1):
            self.line = number
            raw = raw.removesuffix("\r")
            if not raw.strip() or raw.lstrip().startswith("#"):
                continue
            if raw.rstrip() == "---":
                self.end_block()
            else:
                word, _, rest = raw.strip().partition(" ")
                self.take(word, rest)
        if self._start:
            self.end_block()

    def end_block(self) -> None:
        if not self._start:
            raise self.wrong("a reply without a line; '---' stands between two replies")
        self.blocks.append(Block(self._start, tuple(self._steps), **self._fields))  # type: ignore[arg-type]
        self._start, self._steps, self._fields = 0, [], {}

    def take(self, word: str, rest: str) -> None:
        if word in ("pace", "facts", "tools", "count"):
            self.header(word, rest)
            return
        first = not self._start
        self._start = self._start or self.line
        if word in ("when", "else"):
            self.condition(word, rest, first)
        elif word in ("usage", "stop"):
            self.ending(word, rest)
        else:
            self.step(word, rest)

    def header(self, word: str, rest: str) -> None:
        if self.blocks or self._start:
            raise self.wrong(f"'{word}' is a header; headers stand before the first reply")
        if word in self.headers:
            raise self.wrong(f"'{word}' was given already")
        if word == "pace":
            self.headers[word] = self.seconds(rest)
        elif word == "facts":
            prices = self.numbers(rest, _FACTS)
            whole = {key: int(prices.pop(key)) for key in ("context", "max_output") & prices.keys()}
            self.headers[word] = ModelFacts(**whole, **prices)  # type: ignore[arg-type]
        elif (word, rest.strip()) in (("tools", "off"), ("count", "on")):
            self.headers[word] = True
        else:
            raise self.wrong(f"'{word}' takes only '{'off' if word == 'tools' else 'on'}'")

    def condition(self, word: str, rest: str, first: bool) -> None:
        if not first:
            raise self.wrong(f"'{word}' stands first in its reply")
        if word == "when":
            self._fields["when"] = self.text(word, rest)
        elif rest.strip():
            raise self.wrong("'else' takes nothing")
        elif not self.blocks:
            raise self.wrong("'else' needs a reply before it")
        else:
            self._fields["otherwise"] = True

    def ending(self, word: str, rest: str) -> None:
        if word in self._fields:
            raise self.wrong(f"'{word}' was given already in this reply")
        if word == "usage":
            counts = self.numbers(rest, _USAGE)
            self._fields[word] = Usage(**{key: int(value) for key, value in counts.items()})
        elif rest.strip() in _STOPS:
            self._fields[word] = _STOPS[rest.strip()]
        else:
            raise self.wrong(f"'stop' takes one of {', '.join(_STOPS)}")

    def step(self, word: str, rest: str) -> None:
        last = self._steps[-1] if self._steps else None
        if isinstance(last, Fail | Cut | Hang):
            raise self.wrong(f"'{word}' can never be reached")
        kinds = {type(step) for step in self._steps}
        if (word in ("think", "say") and Call in kinds) or (word == "think" and Say in kinds):
            raise self.wrong("thoughts come before words, and words before calls")
        self._steps.append(self.parsed(word, rest))

    def parsed(self, word: str, rest: str) -> Step:
        match word:
            case "say":
                return Say(rest)
            case "think":
                return Think(rest)
            case "call":
                return self.call(rest)
            case "wait":
                return Wait(self.seconds(rest))
            case "fail":
                return self.failure(rest)
            case "expect":
                return Expect(self.text(word, rest), self.line)
            case "cut" | "hang":
                if rest.strip():
                    raise self.wrong(f"'{word}' takes nothing")
                return Cut() if word == "cut" else Hang()
        raise self.wrong(f"no such line: '{word}'")

    def call(self, rest: str) -> Call:
        name, _, arguments = rest.strip().partition(" ")
        try:
            fine = isinstance(json.loads(arguments or "null"), dict)
        except json.JSONDecodeError as error:
            raise self.wrong(f"the arguments of '{name}' are not JSON: {error}") from error
        if not name or not fine:
            raise self.wrong("'call' takes a name and a JSON object")
        return Call(name, arguments)

    def failure(self, rest: str) -> Fail:
        kind, _, text = rest.strip().partition(" ")
        after = None
        if text.startswith("after="):
            number, _, text = text.partition(" ")
            after = self.seconds(number.removeprefix("after="))
        if kind not in ERRORS:
            raise self.wrong(f"'fail' takes one of {', '.join(sorted(ERRORS))}")
        return Fail(ERRORS[kind], text or f"the script says: {kind}", after)

    def text(self, word: str, rest: str) -> str:
        if not rest.strip():
            raise self.wrong(f"'{word}' needs a text")
        return rest.strip()

    def seconds(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError as error:
            raise self.wrong(f"not a number of seconds: '{text}'") from error
        if not 0 <= value < 3600:
            raise self.wrong(f"seconds lie between 0 and 3600, not {text}")
        return value

    def numbers(self, rest: str, names: dict[str, str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for pair in rest.split():
            key, _, value = pair.partition("=")
            if key not in names:
                raise self.wrong(f"no such key: '{key}'; there are {', '.join(names)}")
            try:
                found[names[key]] = float(value)
            except ValueError as error:
                raise self.wrong(f"not a number: '{pair}'") from error
            if not 0 <= found[names[key]] < 1e9:
                raise self.wrong(f"not between 0 and 1e9: '{pair}'")
        return found


def parse_script(text: str, name: str) -> Script:
    """The script in ``text``; ``name`` is what errors call it. Raises ``BadReply`` with file and
    line for anything that is not in the language."""
    reader = _Reader(name)
    reader.read(text)
    if not reader.blocks:
        raise BadReply(f"{name}: there is no reply in this script", _HINT)
    facts = reader.headers.get("facts")
    pace = reader.headers.get("pace")
    return Script(
        name=name,
        blocks=tuple(reader.blocks),
        pace=pace if isinstance(pace, float) else 0.0,
        facts=facts if isinstance(facts, ModelFacts) else ModelFacts(),
        takes_tools="tools" not in reader.headers,
        count="count" in reader.headers,
    )
