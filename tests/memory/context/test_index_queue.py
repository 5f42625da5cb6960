from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.context.index_queue import IndexQueue
from memory.context.region import ContextRegion, survivors
from memory.types import Item


def items(*sizes: tuple[str, int]) -> list[Item]:
    return [Item(name, f"body of {name}", tokens) for name, tokens in sizes]


def names(staying: tuple[Item, ...]) -> list[str]:
    return [item.node for item in staying]


def test_finding_a_memory_again_warms_it_and_admits_no_other() -> None:
    queue = IndexQueue()
    queue.admit("a", 1)
    queue.touch(["a", "stranger"], 1)

    assert queue.heat("a", 1) == 2
    assert queue.nodes == {"a"}
    assert queue.heat("stranger", 1) == 0


def test_heat_halves_with_every_half_life() -> None:
    queue = IndexQueue()
    queue.admit("a", 0)

    assert queue.heat("a", 12) == 0.5
    assert queue.heat("a", 24) == 0.25


def test_what_was_hot_long_ago_goes_before_what_was_useful_lately() -> None:
    queue = IndexQueue()
    for _ in range(500):
        queue.admit("old", 1)
    queue.admit("recent", 990)

    assert queue.rank(["old", "recent"], 1000) == ["recent", "old"]
    assert names(survivors(items(("old", 5), ("recent", 5)), queue, 1000, 5)) == ["recent"]


def test_what_was_found_this_turn_is_never_the_victim_of_old_favourites() -> None:
    queue = IndexQueue()
    for _ in range(9):
        queue.touch(["hot"], 4)
        queue.admit("hot", 4)
    queue.admit("newcomer", 5)

    assert names(survivors(items(("hot", 5), ("newcomer", 5)), queue, 5, 5)) == ["newcomer"]


def test_a_smaller_budget_evicts_the_coldest_and_survivors_keep_their_order() -> None:
    queue = IndexQueue()
    for name, times in (("a", 3), ("b", 1), ("c", 2)):
        for _ in range(times):
            queue.admit(name, 1)
    region = items(("a", 10), ("b", 10), ("c", 10))

    assert names(survivors(region, queue, 9, 30)) == ["a", "b", "c"]
    assert names(survivors(region, queue, 9, 20)) == ["a", "c"]
    assert names(survivors(region, queue, 9, 10)) == ["a"]
    assert names(survivors(region, queue, 9, 0)) == []


def test_a_memory_that_does_not_fit_shuts_out_no_smaller_one() -> None:
    queue = IndexQueue()
    queue.admit("large", 2)
    queue.admit("small", 1)

    assert names(survivors(items(("large", 99), ("small", 5)), queue, 2, 10)) == ["small"]


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 50)), max_size=40),
    st.integers(0, 60),
)
def test_the_queue_reads_back_from_disk_the_same(found: list[tuple[str, int]], turn: int) -> None:
    queue = IndexQueue()
    for node, at in found:
        queue.admit(node, at)

    again = IndexQueue.from_plain(queue.to_plain())

    assert again.to_plain() == queue.to_plain()
    assert again.rank("abcdef", turn) == queue.rank("abcdef", turn)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 30)), unique_by=lambda p: p[0]))
def test_a_region_counts_its_tokens_and_holds_its_items(sizes: list[tuple[str, int]]) -> None:
    region = ContextRegion(items(*sizes))

    assert region.tokens == sum(tokens for _, tokens in sizes)
    assert names(region.items) == [name for name, _ in sizes]
    assert all(region.holds(name) for name, _ in sizes)
