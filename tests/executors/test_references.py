from __future__ import annotations

import hashlib

from executors.protocol import Reference
from tests.executors.conftest import Bench


def summed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def test_what_was_read_names_the_file_its_bytes_then_and_the_lines(bench: Bench) -> None:
    file = bench.root / "a.py"
    file.write_bytes(b"one\r\ntwo\r\nthree\r\n")

    outcome = await bench.run("read_file", path="a.py", start=2, end=3)

    assert outcome.reference == Reference(str(file), summed(file.read_bytes()), 2, 3)


async def test_what_was_written_or_edited_names_the_file_as_it_is_now(bench: Bench) -> None:
    file = bench.root / "new" / "a.py"
    for name, arguments in (
        ("write_file", {"content": "one\n"}),
        ("edit_file", {"old": "one", "new": "two"}),
    ):
        outcome = await bench.run(name, path="new/a.py", **arguments)

        assert outcome.reference == Reference(str(file), summed(file.read_bytes()))


async def test_a_hand_that_tells_of_no_file_names_none(bench: Bench) -> None:
    (bench.root / "a").write_text("x\n")

    assert (await bench.run("list_files", path=".")).reference is None
