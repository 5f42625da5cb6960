"""One conversation has one process that goes on with it; what two processes add is all kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from memory import Memory


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Memory, Memory]]:
    """Two memories on one file, as two processes have them."""
    one, other = [await Memory.open(tmp_path / "m.db") for _ in range(2)]
    yield one, other
    await one.close()
    await other.close()


def lives(*owners: str) -> Callable[[str], bool]:
    return lambda owner: owner in owners


async def test_a_conversation_that_nobody_owns_is_had_for_the_asking(
    two: tuple[Memory, Memory],
) -> None:
    session = await two[0].open_session("/p", "x/y")

    assert await two[0].claim(session, "1:100@here", lives()) == ""
    assert await two[0].claim(session, "1:100@here", lives("1:100@here")) == ""


async def test_a_conversation_of_a_living_owner_is_refused_with_its_name(
    two: tuple[Memory, Memory],
) -> None:
    session = await two[0].open_session("/p", "x/y")
    await two[0].claim(session, "first", lives())

    assert await two[1].claim(session, "second", lives("first", "second")) == "first"
    assert await two[1].claim(session, "third", lives("first", "second")) == "first"
    other = await two[1].open_session("/p", "x/y")
    assert await two[1].claim(other, "second", lives("first", "second")) == ""


async def test_a_conversation_of_a_dead_owner_changes_hands(two: tuple[Memory, Memory]) -> None:
    session = await two[0].open_session("/p", "x/y")
    await two[0].claim(session, "first", lives())

    assert await two[1].claim(session, "second", lives("second")) == ""
    assert await two[0].claim(session, "first", lives("first", "second")) == "second"


async def test_only_the_owner_can_give_a_conversation_up(two: tuple[Memory, Memory]) -> None:
    session = await two[0].open_session("/p", "x/y")
    await two[0].claim(session, "first", lives())

    await two[1].release(session, "second")
    assert await two[1].claim(session, "second", lives("first")) == "first"
    await two[0].release(session, "first")
    assert await two[1].claim(session, "second", lives("first")) == ""


async def test_of_many_who_claim_at_once_exactly_one_has_it(two: tuple[Memory, Memory]) -> None:
    session = await two[0].open_session("/p", "x/y")
    names = [f"owner {number}" for number in range(12)]

    answers = await asyncio.gather(
        *(two[n % 2].claim(session, name, lives(*names)) for n, name in enumerate(names))
    )

    winner = names[answers.index("")]
    assert answers.count("") == 1
    assert set(answers) == {"", winner}


async def test_a_question_after_life_that_fails_changes_nothing(two: tuple[Memory, Memory]) -> None:
    session = await two[0].open_session("/p", "x/y")
    await two[0].claim(session, "first", lives())

    def broken(owner: str) -> bool:
        raise PermissionError(owner)

    with pytest.raises(PermissionError):
        await two[1].claim(session, "second", broken)
    assert await two[1].claim(session, "third", lives("first")) == "first"


async def test_an_unknown_conversation_and_a_nameless_owner_are_told(
    two: tuple[Memory, Memory],
) -> None:
    with pytest.raises(LookupError, match="nobody"):
        await two[0].claim("nobody", "first", lives())
    with pytest.raises(ValueError, match="name"):
        await two[0].claim(await two[0].open_session("/p", "x/y"), "", lives())


async def test_what_two_processes_add_to_a_list_is_all_kept(two: tuple[Memory, Memory]) -> None:
    await two[0].keep("commands:/p", ["pytest"])

    await asyncio.gather(
        *(two[n % 2].add_kept("commands:/p", [f"command {n}", "pytest"]) for n in range(20))
    )

    whole = await two[0].kept("commands:/p")
    assert whole[0] == "pytest"
    assert sorted(whole[1:]) == sorted(f"command {n}" for n in range(20))


async def test_a_list_grows_at_its_end_and_holds_each_value_once(
    two: tuple[Memory, Memory],
) -> None:
    assert await two[0].add_kept("new", ["b", "a", "b", "\ud800"]) == ["b", "a", "\ud800"]
    assert await two[1].add_kept("new", ["a", "c"]) == ["b", "a", "\ud800", "c"]
    assert await two[0].add_kept("new", []) == await two[0].kept("new")


async def test_what_is_no_list_is_not_added_to(two: tuple[Memory, Memory]) -> None:
    await two[0].keep("settings", {"a": 1})

    with pytest.raises(ValueError, match="settings"):
        await two[0].add_kept("settings", ["b"])

    assert await two[0].kept("settings") == {"a": 1}
