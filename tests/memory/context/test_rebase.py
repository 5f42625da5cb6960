from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.index_queue import IndexQueue
from memory.context.rebase import Wanted, held, plan
from memory.context.region import ContextRegion
from memory.types import Budget, Item, ItemKind, Line


def item(name: str, tokens: int, kind: ItemKind = "memory", segment: int = 1) -> Item:
    return Item(name, f"body of {name}", tokens, kind, segment)


def names(items: Iterable[Item]) -> list[str]:
    return [each.node for each in items]


def warmed(**turns: int) -> IndexQueue:
    queue = IndexQueue()
    for name, turn in turns.items():
        queue.admit(name, turn)
    return queue


def rebased(
    old: list[Item],
    added: list[Item] = [],  # noqa: B006
    *,
    queue: IndexQueue | None = None,
    low: int = 100,
    high: int = 0,
    chain: int = 50,
    cold: bool = False,
    turn: int = 9,
    standing: Iterable[str] = (),
    lines: Iterable[str] = (),
) -> tuple[Item, ...]:
    def kept(budget: int) -> list[Line]:
        left, found = budget, []
        for name in lines:
            if (left := left - 10) >= 0:
                found.append(Line(1, 1, "user", name, 10, 0, 0, name))
        return found

    budget = Budget(1_000, 50, 90, low, high or low, chain)
    return plan(
        old,
        added,
        Wanted(
            *(queue or IndexQueue(), turn, 2, budget, cold, frozenset(standing)),
            *(frozenset("abcdefgh"), kept),
        ),
    )


def test_while_warm_and_while_there_is_room_items_are_only_added_at_the_end() -> None:
    old = [item("b", 30), item("a", 30)]

    region = rebased(old, [item("c", 40, segment=2)], queue=warmed(a=1, b=1))

    assert region == (*old, item("c", 40, segment=2))


def test_over_the_most_the_coldest_go_and_survivors_keep_their_order() -> None:
    queue = warmed(a=8, b=1, c=7)
    region = [item("a", 40), item("b", 40), item("c", 40)]

    assert names(rebased(region, queue=queue, low=90)) == ["a", "c"]
    assert names(rebased(region, queue=queue, low=50)) == ["a"]
    assert names(rebased(region, queue=queue, low=0)) == []
    assert names(rebased(region, queue=queue, low=50, high=120)) == ["a", "b", "c"]


def test_what_this_turn_found_is_held_although_others_are_hotter() -> None:
    queue = warmed(newcomer=9)
    for _ in range(9):
        queue.admit("hot", 8)

    assert names(rebased([item("hot", 60), item("newcomer", 60)], queue=queue)) == ["newcomer"]


def test_an_item_that_does_not_fit_shuts_out_no_smaller_one() -> None:
    queue = warmed(large=9, small=1)

    assert names(rebased([item("large", 999), item("small", 5)], queue=queue)) == ["small"]


def test_of_two_that_are_wanted_alike_the_smaller_stays_then_the_newer() -> None:
    queue = warmed(large=5, small=5, older=5, newer=5)

    assert names(rebased([item("large", 80), item("small", 40)], queue=queue)) == ["small"]
    assert names(rebased([item("older", 60), item("newer", 60)], queue=queue)) == ["newer"]


def test_what_was_dropped_goes_at_a_warm_end_too_and_all_before_it_stands() -> None:
    queue = warmed(a=9, b=9, c=9)
    queue.evict("b")
    gone = [item("plan 1", 5, "standing"), item("z", 5, "line")]
    old = [gone[0], item("a", 10), item("b", 10), gone[1], item("b", 3, "excerpt"), item("c", 10)]

    region = rebased(old, [item("b", 3, "line"), item("d", 10)], queue=queue)

    assert region == (gone[0], old[1], old[5], item("d", 10))


def test_an_eviction_takes_effect_with_the_next_sweep() -> None:
    queue = warmed(a=9, b=1)
    queue.evict("a")
    region = [item("a", 60), item("b", 60)]

    assert names(rebased(region, queue=queue)) == ["b"]
    assert names(rebased(region, queue=queue, cold=True, low=999)) == ["b"]


def test_a_pinned_memory_is_never_swept_out_and_stands_first_after_a_cold_sweep() -> None:
    queue = warmed(a=9, b=9, pinned=1)
    queue.pin("pinned")
    region = [item("a", 60), item("b", 60), item("pinned", 60)]

    assert "pinned" in names(rebased(region, queue=queue))
    assert names(rebased(region, queue=queue, cold=True, low=999)) == ["pinned", "a", "b"]


def test_a_cold_sweep_puts_what_has_stood_longest_first_and_equals_keep_their_order() -> None:
    old = [item("c", 5, segment=4), item("a", 5, segment=2), item("b", 5, segment=2)]
    added = [item("plan:1", 5, "standing", 5), item("d", 5, segment=5)]

    region = rebased(old, added, cold=True, standing=["plan:1"])

    assert names(region) == ["a", "b", "c", "d", "plan:1"]


def test_a_cold_region_that_is_hardly_over_the_mark_is_left_alone() -> None:
    region = [item("a", 60), item("b", 58)]

    assert len(rebased(region, cold=True, high=150)) == 2
    assert len(rebased([*region, item("c", 10)], cold=True, high=150)) == 2


def test_what_stands_stays_until_it_is_done_and_then_goes_with_a_sweep() -> None:
    region = [item("plan:1", 60, "standing"), item("a", 60)]
    queue = warmed(a=9)

    assert names(rebased(region, queue=queue, standing=["plan:1"])) == ["plan:1"]
    assert names(rebased(region, queue=queue)) == ["a"]
    assert len(rebased(region, queue=queue, low=200)) == 2


def test_lines_stay_as_the_chain_says_and_within_its_share() -> None:
    lines = [item(name, 10, "line") for name in "abcdefgh"]

    region = rebased(lines, low=70, chain=50, lines="hgfedcba")

    assert names(region) == list("defgh")


def test_a_line_an_excerpt_and_the_memory_of_one_node_may_stand_side_by_side() -> None:
    region = [item("a", 1, kind) for kind in ("memory", "line", "excerpt")]  # type: ignore[arg-type]

    assert ContextRegion(region).items == tuple(region)
    assert rebased(region) == tuple(region)
    with pytest.raises(ValueError, match="twice"):
        ContextRegion([*region, item("a", 2)])


def test_only_a_memory_is_the_node_itself() -> None:
    region = ContextRegion([item("a", 1), item("b", 1, "line"), item("plan:1", 1, "standing")])

    assert [region.holds(name) for name in ("a", "b", "plan:1")] == [True, False, False]
    assert region.nodes == {"a", "b"}
    assert region.tokens == 3


def test_an_item_that_stands_already_is_not_added_again() -> None:
    old, again = item("plan:1", 5, "standing", 1), item("plan:1", 5, "standing", 2)

    assert rebased([old], [again], standing=["plan:1"]) == (old,)


@st.composite
def regions(draw: st.DrawFn) -> tuple[list[Item], list[Item], IndexQueue, list[str]]:
    kinds = st.sampled_from(["memory", "line", "excerpt", "standing"])
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), kinds, st.integers(1, 60), st.integers(1, 4)),
            unique_by=lambda row: (row[0], row[1]),
        )
    )
    items = [item(name, tokens, kind, segment) for name, kind, tokens, segment in rows]  # type: ignore[arg-type]
    items.sort(key=lambda each: each.segment)
    queue = IndexQueue()
    for name, turn in draw(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 9)))):
        queue.admit(name, turn)
    for name in draw(st.lists(st.sampled_from("abcdefgh"), max_size=2)):
        queue.pin(name)
    for name in draw(st.lists(st.sampled_from("abcdefgh"), max_size=2)):
        queue.evict(name)
    old = [each for each in items if each.segment < 4]
    return old, items[len(old) :], queue, draw(st.lists(st.sampled_from("abcdefgh"), unique=True))


@given(regions(), st.integers(0, 300), st.integers(0, 200), st.booleans())
def test_the_budget_holds_and_survivors_keep_their_order_and_what_is_held_goes_last(
    region: tuple[list[Item], list[Item], IndexQueue, list[str]], low: int, more: int, cold: bool
) -> None:
    old, added, queue, lines = region
    high, standing = low + more, lines[:2]

    made = rebased(
        old, added, queue=queue, low=low, high=high, chain=low // 2, cold=cold, lines=lines,
        standing=standing,
    )  # fmt: skip

    tokens = sum(each.tokens for each in made)
    assert tokens <= high
    there = [each for each in [*old, *added] if each in made]
    assert set(there) == set(made)
    if not cold:
        assert list(made) == there
    for segment in range(1, 5):
        one = [each for each in made if each.segment == segment and each.kind == "excerpt"]
        assert one == [each for each in there if each in one]
    budget = Budget(1, 1, 1, low, high, 1)
    wanted = Wanted(queue, 9, 2, budget, cold, frozenset(standing), frozenset(), lambda _: ())
    holding = [each for each in [*old, *added] if held(each, wanted)]
    if sum(each.tokens for each in holding) <= high:
        assert set(holding) <= set(made)
