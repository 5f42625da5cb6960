"""Steps of ``cache_cases.jsonl``: prose, and what it makes the program do.

``act_of`` reads one step; the first pattern that fits decides. A step that fits none can be read by
a person only.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Awaitable, Callable
from datetime import date, timedelta

from executors.registry import Registry
from growbox_tui.agent import late_hands
from growbox_tui.agent.events import Rebased
from tests.cases.cache_world import OTHERS, World
from tests.doubles.cache_provider import Answer
from tests.doubles.hands import Hand

Act = Callable[[World], Awaitable[None]]
Made = Callable[[World, re.Match[str]], Awaitable[None]]


def act_of(step: str) -> Act | None:
    """What a step does; ``None`` where it says nothing that is known."""
    text = step.casefold()
    if _BEYOND.search(text):
        return None
    for pattern, made in _STEPS:
        found = pattern.search(text)
        if found is not None:
            return _bound(made, found)
    return None


def _bound(made: Made, found: re.Match[str]) -> Act:
    async def act(world: World) -> None:
        await made(world, found)

    return act


def _number(found: re.Match[str], otherwise: int) -> int:
    digits = re.search(r"\d+", found.string)
    return int(digits[0]) if digits else otherwise


# ---- turns -----------------------------------------------------------------------------------


async def _turns(world: World, found: re.Match[str]) -> None:
    for _ in range(_number(found, 1)):
        await world.turn()


async def _parallel(world: World, found: re.Match[str]) -> None:
    calls = tuple(("list_files", {"path": "."}) for _ in range(_number(found, 25)))
    await world.turn(Answer("All at once.", calls), Answer("That was all."))


async def _thinking(world: World, found: re.Match[str]) -> None:
    called = (("list_files", {"path": "."}),)
    thought = Answer("I look.", called, thinking="Where are the trees?")
    await world.turn(thought, Answer("There they are.", thinking="I saw them."))


async def _cut_for_length(world: World, found: re.Match[str]) -> None:
    await world.turn(Answer("This goes on and", stop="length"))


async def _continued(world: World, found: re.Match[str]) -> None:
    await world.turn(Answer("so it ends."), words="continue")


async def _stopped(world: World, found: re.Match[str]) -> None:
    await world.stopped_turn()


async def _failing(world: World, found: re.Match[str]) -> None:
    world.scripted_faults += 1
    await world.turn(Answer(status=503), Answer("It went well the second time."))


async def _broken(world: World, found: re.Match[str]) -> None:
    await world.turn(Answer("It breaks off", breaks="cut"), Answer("It went well now."))


async def _steered(world: World, found: re.Match[str]) -> None:
    (await world.session()).talk.steering.append("And mind the frost.")
    world.news.append("And mind the frost.")
    await world.turn()


async def _large(world: World, found: re.Match[str]) -> None:
    command = {"command": 'for i in $(seq 4000); do echo "apple $i $((i * i))"; done'}
    called = Answer("Much to read.", (("shell", command),), thinking="Let me see.")
    await world.turn(called, Answer("I read it."))


async def _registered_otherwise(world: World, found: re.Match[str]) -> None:
    await world.end()
    talk = (await world.session()).talk
    names = [json.loads(tool)["name"] for tool in talk.tools]
    hands = [talk.dispatch.hands.find(name) for name in names if name != "call_tool"]
    talk.tools = Registry(reversed(hands)).tools()


async def _denied(world: World, found: re.Match[str]) -> None:
    asking = (await world.session()).talk.dispatch.asking
    asking.stand_in, before = "no", asking.stand_in
    await world.turn(Answer("May I?", (("shell", {"command": "date"}),)), Answer("Then not."))
    asking.stand_in = before


async def _planned(world: World, found: re.Match[str]) -> None:
    steps = [{"text": "prune", "state": "doing"}, {"text": "graft", "state": "open"}]
    await world.turn(Answer("A plan.", (("plan", {"steps": steps}),)), Answer("Planned."))


async def _until_flush(world: World, found: re.Match[str]) -> None:
    for _ in range(40):
        if any(isinstance(event, Rebased) for event in world.seen()):
            return
        await _large(world, found)
    raise RuntimeError("no epoch ended")


# ---- around them -----------------------------------------------------------------------------


async def _commits(world: World, found: re.Match[str]) -> None:
    world.commit()


async def _edits_instructions(world: World, found: re.Match[str]) -> None:
    file = world.project / "AGENTS.md"
    file.write_text(file.read_text().replace("house 5", "orchard"))
    world.news.append("Rule of the orchard.")


async def _remembers(world: World, found: re.Match[str]) -> None:
    fact = "The key of the shed hangs behind the door."
    await (await world.session()).remember(fact)
    world.news.append(fact)


async def _adds_rule(world: World, found: re.Match[str]) -> None:
    rule = "Never prune while it freezes."
    await (await world.session()).add_rule(rule)
    world.news.append(rule)


async def _hand_arrives(world: World, found: re.Match[str]) -> None:
    talk = (await world.session()).talk
    late_hands.arrive(talk, [Hand("weather_now", lambda arguments, job: "sunny")])
    world.news.append("weather_now")


async def _hand_leaves(world: World, found: re.Match[str]) -> None:
    talk = (await world.session()).talk
    if not talk.dispatch.hands.late():
        await _hand_arrives(world, found)
        await world.turn()
    late_hands.leave(talk, ["weather_now"])
    world.news.append("not there any more: weather_now")


async def _other_model(world: World, found: re.Match[str]) -> None:
    world.warned_from = len(world.seen())
    await (await world.session()).use_model(OTHERS[world.voice.name.partition("/")[0]])


async def _model_back(world: World, found: re.Match[str]) -> None:
    await (await world.session()).use_model(world.voice.name)


async def _compacts(world: World, found: re.Match[str]) -> None:
    await (await world.session()).compact()


async def _naps(world: World, found: re.Match[str]) -> None:
    await (await world.session()).nap()


async def _resumes(world: World, found: re.Match[str]) -> None:
    await world.end()
    await world.session()


async def _another_process(world: World, found: re.Match[str]) -> None:
    await world.turn_of_another_process()


async def _waits(world: World, found: re.Match[str]) -> None:
    given = re.search(r"(\d+)\s*(s|min|h)", found.string)
    unit = {"s": 1, "min": 60, "h": 3600}[given[2]] if given else 60
    world.clock.wait(int(given[1]) * unit if given else 400)


async def _midnight(world: World, found: re.Match[str]) -> None:
    tomorrow = (date.today() + timedelta(days=1)).isoformat()
    (await world.session()).talk.today = lambda: tomorrow


async def _elsewhere(world: World, found: re.Match[str]) -> None:
    world.env |= {
        "TZ": "Pacific/Chatham",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "4711",
        "COLUMNS": "43",
        "LINES": "11",
    }
    os.environ.update(world.env)
    time.tzset()
    await world.turn_of_another_process()


async def _appearance(world: World, found: re.Match[str]) -> None:
    await world.set_theme("growbox-light")
    os.environ.update({"COLUMNS": "43", "LINES": "11"})


_BEYOND = re.compile(r"image|screenshot|effort|thinking (level|budget)|subagent|fork|voice|plugin")
"""What the program has not, or no program here can do."""
_STEPS: tuple[tuple[re.Pattern[str], Made], ...] = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        (r"regist\w+|order of (the )?(tools|hands)", _registered_otherwise),
        (r"time ?zone|locale|language setting|hash ?seed|lc_all", _elsewhere),
        (
            r"(other|another|different|new|second|two) (process|machine)|subprocess",
            _another_process,
        ),
        (r"resum|restart|reopen", _resumes),
        (r"flush|\bring\b|window (fills|is full)|overflow|evict|epoch|rotat", _until_flush),
        (r"max_tokens|output limit|cut for length", _cut_for_length),
        (r"continue|go on|carry on", _continued),
        (r"parallel|\d+ (tool )?calls|(many|more than \d+) tool", _parallel),
        (r"thinking|reasoning", _thinking),
        (r"cancel|\besc\b|interrupt|abort|stops? (it|the)|ctrl", _stopped),
        (r"breaks? off|stream (is )?(cut|broken|breaks|drops)|disconnect mid", _broken),
        (r"retry|error|50\d|overload|429|rate limit", _failing),
        (r"steer|while (it|the agent|the turn) (runs|works)|queued (message|words)", _steered),
        (r"denie|refuse|reject|approval", _denied),
        (r"\bplan\b|todo", _planned),
        (r"large|big|huge|200 ?kb|long (tool )?(output|result)", _large),
        (r"git (commit|status|branch|checkout)|commit|file (is )?(created|changes)", _commits),
        (r"agents\.md|claude\.md|instructions|project rules", _edits_instructions),
        (r"/remember|memory (is )?(stored|saved|written)|stores? a memory", _remembers),
        (r"rule", _adds_rule),
        (r"(mcp|tool|server|plugin).*(disconnect|removed|leaves|gone|goes away)", _hand_leaves),
        (r"mcp|late tool|(new|another) tool|tools? (arrive|appear|connect|added)", _hand_arrives),
        (r"/?model.*(back|again|first|original)|back to the (first|old)", _model_back),
        (r"/model|(other|another|switch\w*|change\w*) .*model|model (switch|change)", _other_model),
        (r"compact|summari[sz]", _compacts),
        (r"\bnap\b|/nap|/clear", _naps),
        (r"idle|\bttl\b|pause|wait|expire|\d+ ?min", _waits),
        (r"midnight|next day|date change|clock|tomorrow|new day", _midnight),
        (r"theme|resiz|terminal", _appearance),
        (r"turn|prompt|question|message|include_usage|request", _turns),
    )
)
