"""Expectations of ``cache_cases.jsonl``: prose, and what it demands of the requests that were sent.

All is told from the provider's log and from what the user was shown, nothing from the ledger. Each
check returns what it found wrong, or an empty string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from growbox_tui.agent.events import Notice, UsageReported
from tests.cases.cache_world import World, added, pieces
from tests.doubles.cache_layout import Body, common, marks_of, tokens
from tests.doubles.cache_provider import Received

Check = Callable[[World], str]

MOST_MARKS = 4
STEP = 256
"""Tokens: no provider here serves in larger steps."""
LEAST = 1_100
"""Tokens that every provider here caches."""


def checks_of(expect: str) -> list[Check]:
    """What a sentence demands; none where it says nothing that is known."""
    text = expect.casefold()
    return [check for pattern, check in _CHECKS if re.search(pattern, text)]


def always(world: World) -> str:
    """What holds whatever a row expects: nothing was refused, no mark is one too many, and every
    call has its result."""
    refused = len(world.provider.log) - len(world.log()) - world.scripted_faults
    if refused:
        return f"{refused} requests were refused"
    return few_marks(world) or paired(world)


# ---- the prefix ------------------------------------------------------------------------------


def stands(world: World) -> str:
    """Each request begins with all of the one before it to the same model."""
    for before, after in world.pairs():
        same, whole = common(pieces(before), pieces(after)), len(pieces(before))
        if same < whole:
            return f"a request repeats {same} of {whole} blocks of the one before it"
    return ""


def same_system(world: World) -> str:
    """No request has another system text."""
    return _all_same([_system(body) for body in world.bodies()], "system text")


def same_tools(world: World) -> str:
    """No request has another list of tools, or another order of it."""
    return _all_same([json.dumps(body.get("tools")) for body in world.bodies()], "list of tools")


def told(world: World) -> str:
    """What is new stands behind what was sent before, and nowhere in front of it."""
    texts = [added(before, after) for before, after in world.pairs()]
    missing = [words for words in world.news if not any(words in text for text in texts)]
    return f"the model was never told: {missing}" if missing else ""


def reachable(world: World) -> str:
    """What arrived late is told, and can be called through what was there."""
    names = [tool.get("name") or tool["function"]["name"] for tool in _tools(world)]
    return told(world) if "call_tool" in names else "there is nothing to call a late tool through"


def _all_same(values: list[str], what: str) -> str:
    return "" if len(set(values)) <= 1 else f"there were {len(set(values))} kinds of {what}"


def _system(body: Body) -> str:
    said = [m for m in body["messages"] if m["role"] == "system"] or body.get("system")
    marked = ("cache_control", "prompt_cache_breakpoint")
    return json.dumps(_without(said, marked))


def _without(value: object, names: tuple[str, ...]) -> object:
    if isinstance(value, dict):
        return {name: _without(item, names) for name, item in value.items() if name not in names}
    return [_without(item, names) for item in value] if isinstance(value, list) else value


def _tools(world: World) -> list[Body]:
    return list(world.bodies()[-1].get("tools") or [])


# ---- marks and hits --------------------------------------------------------------------------


def few_marks(world: World) -> str:
    """At most four marks in every request."""
    most = max((len(marks_of(body)) for body in world.bodies()), default=0)
    return f"{most} marks in one request" if most > MOST_MARKS else ""


def moving_mark(world: World) -> str:
    """The last mark is on the last block."""
    for each in world.log():
        marks = marks_of(each.body)
        if not marks or marks[-1][0] != len(pieces(each)) - 1:
            return "a request has no mark on its last block"
    return ""


def mark_repeated(world: World) -> str:
    """Each request marks again where the one before it had its last mark, if that stands still."""
    for before, after in world.pairs():
        at = marks_of(before.body)[-1][0]
        stood = common(pieces(before), pieces(after)) > at
        if stood and at not in [mark for mark, _ in marks_of(after.body)]:
            return f"the mark at block {at} was not repeated"
    return ""


def hit(world: World) -> str:
    """The newest request was served all that the one before it to that model had sent."""
    model = world.voice.name.partition("/")[2]
    mine = world.log(model)
    if len(mine) < 2:
        return "there were not two requests to compare"
    return _served(mine[-2], mine[-1])


def hits(world: World) -> str:
    """Every request but the first to a model was served all that was sent before."""
    return next((why for pair in world.pairs() if (why := _served(*pair))), "")


def _served(before: Received, after: Received) -> str:
    assert after.served is not None
    wanted = tokens(pieces(before))
    fine = after.served.read >= wanted - STEP or wanted < LEAST
    return "" if fine else f"{after.served.read} of {wanted} tokens were served"


def warned(world: World) -> str:
    """The user was told what a change of model costs."""
    told_ = [each for each in world.seen()[world.warned_from :] if isinstance(each, Notice)]
    costs = [each for each in told_ if re.search(r"\d[\d,]* tokens", each.text)]
    return "" if costs else "nothing was said of what the change costs"


def asks_for_usage(world: World) -> str:
    """Every stream asks for its usage figures, and where none come none are made up."""
    for body in world.bodies():
        if not (body.get("stream_options") or {}).get("include_usage"):
            return "a request did not ask for usage"
    reports = [each for each in world.seen() if isinstance(each, UsageReported)]
    if any(each.cache_read == 0 and each.input is None for each in reports):
        return "a report without figures says that nothing was served"
    return "" if reports else "nothing was reported"


# ---- messages --------------------------------------------------------------------------------


def paired(world: World) -> str:
    """Every call of every request has one result, and every result its call."""
    for body in world.bodies():
        calls, results = list(_calls(body)), list(_results(body))
        if sorted(calls) != sorted(results):
            return f"{len(calls)} calls and {len(results)} results in one request"
    return ""


def _calls(body: Body) -> Iterator[str]:
    for message in body["messages"]:
        yield from (call["id"] for call in message.get("tool_calls") or [])
        yield from (each["id"] for each in _blocks(message) if each["type"] == "tool_use")


def _results(body: Body) -> Iterator[str]:
    for message in body["messages"]:
        if message["role"] == "tool":
            yield message["tool_call_id"]
        yield from (
            each["tool_use_id"] for each in _blocks(message) if each["type"] == "tool_result"
        )


def _blocks(message: Body) -> list[Body]:
    content = message.get("content")
    return content if isinstance(content, list) else []


def thinking_stays(world: World) -> str:
    """Reasoning that led to calls goes back unchanged as long as what stands before it does."""
    thought = any("thinking" in str(body["messages"]) or _reasoned(body) for body in world.bodies())
    return stands(world) if thought else "no request has any reasoning in it"


def _reasoned(body: Body) -> bool:
    return any(message.get("reasoning_content") for message in body["messages"])


def thinking_dropped(world: World) -> str:
    """Where bytes changed in front of it, no reasoning follows that was there before."""
    for before, after in world.pairs():
        same = common(pieces(before), pieces(after))
        if same == len(pieces(before)):
            continue
        old = {piece.data for piece in pieces(before)[same:] if b'"thinking"' in piece.data}
        if any(piece.data in old for piece in pieces(after)[same:]):
            return "reasoning was sent behind bytes that had changed"
    return ""


def no_more_requests(world: World) -> str:
    """No request was made but for turns: each ends with words that the script played."""
    tooled = [body for body in world.bodies() if not body.get("tools")]
    return f"{len(tooled)} requests were no part of a turn" if tooled else ""


_CHECKS: tuple[tuple[str, Check], ...] = (
    (r"include_usage", asks_for_usage),
    (r"(at most|<=|≤|no more than|max\w*) ?(4|four)", few_marks),
    (r"moving mark|mark\w* .*(last|newest) (message|block)", moving_mark),
    (r"previous (request's )?mark|mark (3|three)|same mark", mark_repeated),
    (r"system (prompt|text|message)", same_system),
    (r"tools? (array|list|set|definitions?|order|schema)", same_tools),
    (r"wrapper|search tool|announced|call_tool|reachable", reachable),
    (r"prefix|byte|append-only|only grows|same request", stands),
    (r"^(?!.*(system|tool)).*(unchanged|identical|stable)", stands),
    (r"in the tail|appended|note|erratum|diff\b|at the end", told),
    (r"look-?back|every (call|request|turn).*hit|no (full )?miss|\d+ ?blocks", hits),
    (r"\bhits?\b(?! ra)|cache[ _]read|read >|served from|still cached", hit),
    (r"warn|one-off|shown to the user|told to the user|costs? n", warned),
    (
        r"thinking.*(drop|strip|remov|left out|without)|(drop|strip|remov|no)\w* .*thinking",
        thinking_dropped,
    ),
    (r"(thinking|reasoning).*(kept|back|replay|same|unchanged|stay)", thinking_stays),
    (
        r"locally|(no (extra|additional|separate)|without (a|any)) (model )?(call|request)",
        no_more_requests,
    ),
)
