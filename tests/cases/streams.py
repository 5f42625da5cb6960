"""``streams.jsonl``: answers of providers, broken in every way, and the calls that may be run.

Each row is played over loopback to the voice that speaks its wire format; what the voice hands
out goes through the real registry and dispatch to hands that only note their calls. A row passes
when no cut, merged or invented call was run, and when every call was run that a sound row holds.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from executors.protocol import Arguments, Claim, Details, ExecutorSpec, Job, Outcome
from executors.registry import Registry
from growbox_tui.agent.asking import ANSWERED_BY_FLAG, Asking
from growbox_tui.agent.dispatch import Dispatch
from growbox_tui.agent.gate import Policy
from growbox_tui.agent.messages import Message, Text
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.http_stream import SILENCE_S
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Model, ModelError, Reply, Request
from tests.cases.verdict import Row, Verdict, failed, passed, rows, short, to_read
from tests.doubles.stream_server import StreamServer

SIGNATURE = re.compile(r"(\w+)\((.*)\)")
TYPES = {"string": "string", "int": "integer", "bool": "boolean", "object": "object"}
QUESTION = Message("user", (Text("Read a.py and b.py"),))
DILATION = 50.0
"""A minute of a row passes in 1.2 s, in its delays and in the voice's patience, where a row has
pauses at all; elsewhere a slow machine must not look like a provider that is silent."""
PARALLEL = re.compile(r"<<PARALLEL (\d+)>>")


class NotingHand:
    """A hand that does nothing but note its call."""

    def __init__(self, spec: ExecutorSpec, ran: list[Row]) -> None:
        self.spec = spec
        self._ran = ran

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """It touches nothing."""
        return ()

    def preview(self, arguments: Arguments) -> Details:
        """The call as it would be run."""
        return Details("text", self.spec.name)

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """Note the call."""
        self._ran.append({"name": self.spec.name, "arguments": dict(arguments)})
        return Outcome("noted", Details("text", self.spec.name))


def hand(signature: str, ran: list[Row]) -> NotingHand:
    """The hand of a row's tool: ``read_file(path:string!)``; ``!`` marks what must be given."""
    found = SIGNATURE.fullmatch(signature)
    if found is None:
        raise ValueError(f"not a tool: {signature}")
    given = [each.strip().split(":") for each in found[2].split(",") if each.strip()]
    schema = {
        "type": "object",
        "properties": {name: {"type": TYPES[kind.rstrip("!")]} for name, kind in given},
        "required": [name for name, kind in given if kind.endswith("!")],
        "additionalProperties": False,
    }
    return NotingHand(ExecutorSpec(found[1], f"Tool {found[1]}.", schema), ran)


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    for case, row in rows(path):
        try:
            ran = asyncio.run(calls_run(row))
        except Exception as error:  # noqa: BLE001 a row may break anything: that is what it is for
            yield failed(case, f"{error!r} was raised, which is no ModelError")
            continue
        yield judged(case, row, ran)


def judged(case: str, row: Row, ran: list[Row]) -> Verdict:
    """Whether only calls were run that the row allows, and all that it demands."""
    expect = row["expect"]
    allowed = expect.get("tool_calls")
    if allowed is None:
        allowed = [call for text in row["writes"] for call in macro_calls(text)]
    strangers = [call for call in ran if call not in allowed]
    if strangers and "tool_calls" not in expect and expect["outcome"] == "complete":
        return to_read(
            case, f"{short(row['title'])}: ran {short(strangers)}; the row names no calls"
        )
    if strangers or len(ran) > len(allowed):
        return failed(case, f"ran {short(strangers or ran)}, allowed were {short(allowed)}")
    if expect["outcome"] == "complete" and expect.get("tool_calls") and ran != allowed:
        return failed(case, f"ran {short(ran)}, wanted {short(allowed)}")
    return passed(case)


def macro_calls(text: str) -> list[Row]:
    """The sound calls that a write's macro stands for."""
    count = sum(int(each) for each in PARALLEL.findall(text))
    return [{"name": "read_file", "arguments": {"path": f"f{n}.py"}} for n in range(count)]


async def calls_run(row: Row) -> list[Row]:
    """Play the row to its voice, dispatch what is handed out; the calls that were run."""
    ran: list[Row] = []
    hands = Registry([hand(each, ran) for each in row["tools"]])
    with tempfile.TemporaryDirectory() as folder:
        policy = Policy(Path(folder).resolve(), lambda path: False)
        dispatch = Dispatch(hands, policy, Asking(lambda event: None, ANSWERED_BY_FLAG))
        async with StreamServer([hastened(row)]) as server:
            reply = await answer(row, server.url, hands.tools())
        for call in reply.message.calls if reply else ():
            await dispatch.run(call, reply.broken.get(call.id, "") if reply else "")
    return ran


def hastened(row: Row) -> Row:
    """The row with its delays shortened."""
    delays = row.get("delay_ms_before_write") or []
    return {**row, "delay_ms_before_write": [each / DILATION for each in delays]}


async def answer(row: Row, url: str, tools: tuple[str, ...]) -> Reply | None:
    """The voice's reply; ``None`` when it raised a ``ModelError``."""
    model = voice(row["wire"], url, SILENCE_S / DILATION if pauses(row) else SILENCE_S)
    reply: Reply | None = None
    try:
        async for delta in model.stream(Request(tools, ("Be brief.",), (QUESTION,))):
            if isinstance(delta, Reply):
                reply = delta  # it is the last thing that a stream yields
    except ModelError:
        return None
    finally:
        await model.close()
    return reply


def pauses(row: Row) -> bool:
    """Whether the provider of a row is silent for a while."""
    return row.get("end") == "hang" or bool(row.get("delay_ms_before_write"))


def voice(wire: str, url: str, silence_s: float) -> Model:
    """The voice for a wire format, at a server's ``/v1``."""
    if wire == "anthropic-messages":
        return AnthropicModel("anthropic/m-1", base_url=url, key="k", silence_s=silence_s)
    return OpenAIModel("openai/m-1", base_url=url, key="k", silence_s=silence_s)
