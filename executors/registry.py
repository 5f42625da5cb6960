"""Registry: the hands by name, what the model is told of them, and the check of its arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from executors.ask_user import AskUser
from executors.call_tool import CallTool
from executors.edit_file import EditFile
from executors.list_files import ListFiles
from executors.plan import Plan
from executors.protocol import Executor, ExecutorSpec, HandError
from executors.read_file import ReadFile
from executors.recall import Look, Page, Recall
from executors.search_text import SearchText
from executors.seen_files import SeenFiles
from executors.shell import Shell
from executors.workspace import Workspace
from executors.write_file import WriteFile

MAX_DEPTH = 64
"""How deeply arguments may be nested."""


class Registry:
    """All hands of a session. What the model is sent as its tools is fixed once made; hands that
    arrive later are announced by other means, and found like any other."""

    def __init__(self, hands: Iterable[Executor]) -> None:
        """Raises ``ValueError`` where two hands have one name."""
        self._hands: dict[str, Executor] = {}
        self._late: dict[str, str] = {}
        """Name → canonical JSON of each hand that arrived later."""
        for hand in sorted([*hands, CallTool(self._find_late)], key=lambda hand: hand.spec.name):
            self._add(hand)
        self._tools = tuple(tool_text(hand.spec) for hand in self._hands.values())

    def _add(self, hand: Executor) -> None:
        if hand.spec.name in self._hands:
            raise ValueError(f"two hands are called {hand.spec.name}")
        self._hands[hand.spec.name] = hand

    def arrive(self, hand: Executor) -> None:
        """Take in a hand that came after the tools were fixed. Raises ``ValueError`` where one of
        that name is there, in whatever case: a call of the one must never reach the other."""
        name = hand.spec.name
        if any(known.casefold() == name.casefold() for known in self._hands):
            raise ValueError(f"two hands are called {name}")
        self._add(hand)
        self._late[name] = tool_text(hand.spec)

    def leave(self, name: str) -> None:
        """Let go of a hand that had arrived. Raises ``KeyError`` where none of that name had."""
        del self._late[name]
        del self._hands[name]

    def tools(self) -> tuple[str, ...]:
        """Each hand as canonical JSON: ``description``, ``name``, ``parameters``; by name. Those
        that arrived later are not among them."""
        return self._tools

    def late(self) -> tuple[str, ...]:
        """Each hand that arrived later, as canonical JSON, by name."""
        return tuple(text for _, text in sorted(self._late.items()))

    def _find_late(self, name: str, arguments_json: str) -> tuple[Executor, dict[str, Any]]:
        """A late hand and the checked arguments of a call. Raises ``HandError``."""
        if name in self._hands and name not in self._late:
            raise HandError(f"{name} is a tool of its own: call it directly.")
        if name not in self._late:
            there = ", ".join(sorted(self._late)) or "none"
            raise HandError(f"There is no tool {name[:80]!r} here. Those that came later: {there}.")
        return self._hands[name], self.validate(name, arguments_json)

    def find(self, name: str) -> Executor:
        """The hand of that name; another case does if only one fits. Raises ``HandError`` that
        names the nearest ones."""
        if name in self._hands:
            return self._hands[name]
        same = [known for known in self._hands if known.casefold() == name.casefold()]
        if len(same) == 1:
            return self._hands[same[0]]
        near = get_close_matches(name, self._hands, n=3, cutoff=0.5) or list(self._hands)
        raise HandError(f"There is no tool {name[:80]!r}. Did you mean {', '.join(near)}?")

    def validate(self, name: str, arguments_json: str) -> dict[str, Any]:
        """The arguments of a call, checked. Raises ``HandError`` that says what is wrong."""
        spec = self.find(name).spec
        arguments = parse_arguments(arguments_json, spec.name)
        _check(spec, arguments)
        return arguments


def tool_text(spec: ExecutorSpec) -> str:
    """What the model is told of a hand, the same bytes every time."""
    body = {"name": spec.name, "description": spec.words, "parameters": spec.schema}
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_arguments(text: str, name: str) -> dict[str, Any]:
    """The JSON object in the text; blank is an empty one. Raises ``HandError`` for anything that
    is not strict JSON, names a key twice, or is nested too deeply."""
    try:
        value = json.loads(
            text if text.strip() else "{}", object_pairs_hook=_once, parse_constant=_no_constant
        )
    except RecursionError as error:
        raise HandError(f"{name}: the arguments are nested too deeply.") from error
    except ValueError as error:
        raise HandError(f"{name}: the arguments are not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise HandError(f"{name}: the arguments must be a JSON object, not {_kind(value)}.")
    if _depth(value) > MAX_DEPTH:
        raise HandError(f"{name}: the arguments are nested too deeply.")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands there twice")
        found[key] = value
    return found


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _depth(value: Any) -> int:
    """How many objects and lists stand inside one another."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            child for item in level for child in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")


def _check(spec: ExecutorSpec, arguments: Mapping[str, Any]) -> None:
    """Against the schema, with no argument that it does not name. That rule is not among the
    words that the model reads: it would cost tokens in every request."""
    from jsonschema import Draft202012Validator

    closed = {"additionalProperties": "properties" not in spec.schema, **spec.schema}
    problems = sorted(Draft202012Validator(closed).iter_errors(arguments), key=_place)
    if problems:
        first = problems[0]
        where = _place(first)
        said = first.message if len(first.message) <= 300 else first.message[:300] + "…"
        known = ", ".join(spec.schema.get("properties", {})) or "anything"
        at = f" at {where}" if where else ""
        raise HandError(f"{spec.name}: wrong arguments{at}: {said}. It takes: {known}.")


def _place(problem: Any) -> str:
    return ".".join(str(part) for part in problem.absolute_path)


def builtin(workspace: Workspace, look: Look, page: Page) -> Registry:
    """The ten hands. ``look`` and ``page`` are the two ways into memory."""
    seen = SeenFiles()
    return Registry(
        (
            Shell(workspace),
            ReadFile(workspace, seen),
            WriteFile(workspace, seen),
            EditFile(workspace, seen),
            ListFiles(workspace),
            SearchText(workspace),
            Plan(),
            AskUser(),
            Recall(look, page),
        )
    )
