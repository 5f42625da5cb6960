from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from growbox_tui.frontends.doctor import as_text, examined
from growbox_tui.models.protocol import UnknownModel
from growbox_tui.settings import SettingsError, load
from growbox_tui.wiring import Workbench
from memory import Memory
from memory.recall.judge_calibration import Calibration
from memory.recollection import Query
from memory.types import NewNode


def bench(home: Path, subconscious: str = "") -> Workbench:
    if subconscious:
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(f'[subconscious]\nmodel = "{subconscious}"\n')
    return Workbench(load({"GROWBOX_HOME": str(home)}), home, env={})


def script(folder: Path) -> str:
    file = folder / "judge.json"
    file.write_text(json.dumps({"yes": {f"Tree {n} was": [f"number {n}."] for n in range(30)}}))
    return f"script/{file}"


async def planted(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    memory = await Memory.open(file)
    for tree in range(30):
        grown = f"It grows well there, and bears fruit of number {tree}."
        words = f"Tree {tree} was planted by the wall. {grown}"
        await memory.remember(NewNode("user", words))
    await memory.close()


async def test_the_doctor_measures_the_judge_that_is_set(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await planted(home / "memory.db")
    told = await examined(bench(home, script(tmp_path)), "text")
    assert "30 memories" in told
    assert "script/judge, scripted" in told
    assert "It knows 100% of what is related" in told
    assert "Able: it reads memories exactly" in told
    body = json.loads(await examined(bench(home), "json"))
    assert (body["judge"]["able"], body["judge"]["related"]) == (True, 30)


async def test_a_new_memory_cannot_measure_any_judge(tmp_path: Path) -> None:
    told = await examined(bench(tmp_path / "home"), "text")
    assert "Judge: local/bundled, by likelihood." in told
    assert "too few" in told


async def test_a_judge_that_cannot_be_had_is_told_and_memory_works_without(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel):
        await examined(bench(tmp_path / "home", "no such model"), "text")
    home = tmp_path / "home"
    one = bench(home)
    session = await one.open(model="local/bundled")
    reader = session.stream.reader()
    await session.start()
    await asyncio.sleep(0)
    opened = next(iter(reader.drain()))
    assert "Memories are not read exactly" in getattr(opened, "why", "")
    await one.close()


async def test_the_judge_that_is_set_reads_for_the_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    await planted(home / "memory.db")
    one = bench(home, script(tmp_path))
    session = await one.open(model="local/bundled")
    found = await session.talk.mind.recall(Query("Tree 7 was where?", deeper=True))
    assert found.complete
    assert [hit.node.text[:6] for hit in found.hits if hit.confirmed] == ["Tree 7"]
    await one.close()


def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[subconscious]\nmodell = 'x'\n")
    with pytest.raises(SettingsError, match="line 2"):
        load({"GROWBOX_HOME": str(tmp_path)})


def test_a_judge_that_is_not_able_is_told_with_figures_and_what_to_do() -> None:
    found = Calibration("local/bundled#likelihood1", "halves", 20, 40, 5, 1, 2, 10)
    told = "\n".join(as_text(found))
    assert "related:   5 yes, 1 no, 14 unknown" in told
    assert "about 50 for related" in told
    assert "[subconscious]" in told
