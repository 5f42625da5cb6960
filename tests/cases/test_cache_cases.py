"""What the given rows of ``cache_cases.jsonl`` demand of the real program; their vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from growbox_tui.agent.events import UsageReported
from growbox_tui.models.cache_fields import CacheFields
from growbox_tui.models.openai_wire import OpenAIModel
from tests.cases import cache_checks as checks
from tests.cases.__main__ import main
from tests.cases.cache_steps import act_of
from tests.cases.cache_world import World, added, living
from tests.doubles.cache_provider import Answer


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with living(tmp_path, "anthropic_5m") as made:
        yield made


async def do(world: World, *steps: str) -> None:
    try:
        for step in steps:
            act = act_of(step)
            assert act is not None, step
            await act(world)
    finally:
        await world.end()
    assert not checks.always(world)


async def test_a_commit_in_the_repository_changes_nothing_of_the_system_text(world: World) -> None:
    await do(world, "turn", "git commit in the repo", "turn")
    assert not checks.same_system(world)
    assert not checks.stands(world)


async def test_a_tool_that_arrives_late_is_announced_behind_an_unchanged_list_of_tools(
    world: World,
) -> None:
    await do(world, "turn", "MCP server connects late", "turn")
    assert not checks.same_tools(world)
    assert not checks.reachable(world)
    assert not checks.stands(world)


async def test_a_remembered_fact_stands_in_the_tail_and_no_byte_before_it_changes(
    world: World,
) -> None:
    await do(world, "turn", "memory stored by /remember", "turn")
    assert not checks.stands(world)
    assert not checks.told(world)


async def test_edited_instructions_are_appended_as_a_diff_to_an_unchanged_prefix(
    world: World,
) -> None:
    await do(world, "turn", "user edits AGENTS.md", "turn")
    assert not checks.stands(world)
    before, after = list(world.pairs())[1]
    assert "-Rule of the house 5." in added(before, after)
    assert "+Rule of the orchard." in added(before, after)


async def test_forty_turns_never_carry_more_than_four_marks_and_one_is_on_the_last_message(
    world: World,
) -> None:
    await do(world, "40 turns")
    assert len(world.log()) == 80
    assert not checks.few_marks(world)
    assert not checks.moving_mark(world)
    assert not checks.mark_repeated(world)
    assert not checks.hits(world)


async def test_a_reply_cut_at_the_output_limit_is_continued_behind_the_same_bytes(
    world: World,
) -> None:
    await do(world, "turn hits max_tokens", "automatic continue")
    assert not checks.stands(world)


async def test_a_model_that_is_returned_to_finds_its_prefix_and_the_change_was_warned_of(
    world: World,
) -> None:
    await do(world, "turn", "/model other", "turn", "/model back", "turn")
    assert not checks.stands(world)
    assert not checks.hit(world)
    assert not checks.warned(world)


async def test_usage_is_asked_for_by_itself_and_what_was_not_told_is_not_a_zero(
    tmp_path: Path,
) -> None:
    with living(tmp_path, "openai_auto") as world:
        await do(world, "turn")
        assert not checks.asks_for_usage(world)
    with living(tmp_path / "silent", "openai_auto") as world:
        silent = CacheFields(usage=False)
        talk = (await world.session()).talk
        await talk.use(OpenAIModel("openai/gpt-5.4", base_url=world.provider.url, fields=silent))
        await world.turn(Answer("Hello."))
        reports = [each for each in world.seen() if isinstance(each, UsageReported)]
        await world.end()
    assert [each.cache_read for each in reports] == [None]
    assert [each.kind for each in reports] == ["not reported"]


async def test_a_prompt_that_begins_anew_fails_the_check(world: World) -> None:
    await do(world, "turn", "/nap", "turn")
    assert "of the one before it" in checks.stands(world)
    assert not checks.same_tools(world)


def test_a_row_that_no_program_can_act_out_is_left_to_a_person(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cache_cases.jsonl"
    rows = [
        {"id": "a", "steps": ["turn", "image pasted", "turn"], "expect": "prefix unchanged"},
        {"id": "b", "steps": ["turn"], "expect": "the user is happy"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert main([str(file)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in out[:2]] == ["R to be read by a person"] * 2
    assert out[-1] == "0 passed, 0 failed"
