from __future__ import annotations

from executors.protocol import Details, Outcome, Reference
from growbox_tui.agent.events import ToolEnded
from growbox_tui.models.scripted_model import ScriptedModel
from memory.memory import Memory
from tests.doubles.hands import Hand, of, session_on

READ = Reference("/orchard/a.py", "ab" * 32, 1, 400)


class Reader(Hand):
    async def run(self, arguments: object, job: object) -> Outcome:
        return Outcome("x = 1\n" * 9_000, Details("file", "a.py"), reference=READ)


async def test_what_memory_keeps_of_a_file_says_which_it_was_and_how_it_was_then(
    memory: Memory,
) -> None:
    model = ScriptedModel.parse('call read_file {"path": "a.py"}\n---\nsay One.')
    bench = await session_on(memory, model, Reader("read_file", lambda arguments, job: ""))

    events = await bench.ask("what is x?")

    kept = await memory.refer(of(events, ToolEnded)[0].address)
    assert kept is not None
    assert kept.meta == {
        "reference": {"path": READ.path, "sha256": READ.sha256, "start": 1, "end": 400}
    }
