from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memory.context.index_queue import IndexQueue


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


def test_what_was_hot_long_ago_is_colder_than_what_was_useful_lately() -> None:
    queue = IndexQueue()
    for _ in range(500):
        queue.admit("old", 1)
    queue.admit("recent", 990)

    assert queue.heat("old", 1000) < queue.heat("recent", 1000)


def test_what_enters_unasked_is_warm_but_does_not_cool_or_warm_what_is_here() -> None:
    queue = IndexQueue()
    queue.admit("a", 1)
    queue.touch(["a"], 1)
    queue.enter("a", 9)
    queue.enter("b", 9)

    assert queue.heat("a", 1) == 2
    assert queue.heat("b", 9) == 1


def test_what_is_evicted_is_cold_and_marked_until_it_is_found_again() -> None:
    queue = IndexQueue()
    queue.admit("a", 3)
    queue.evict("a")
    queue.evict("stranger")

    assert (queue.heat("a", 3), queue.evicted) == (0, {"a"})
    assert not queue.found_in("a", 0)
    queue.touch(["a"], 4)
    assert (queue.heat("a", 4), queue.evicted) == (1, set())


def test_pins_keep_their_order_and_outlive_what_stands_in_the_window() -> None:
    queue = IndexQueue()
    queue.admit("b", 1)
    for node in ("b", "a", "b"):
        queue.pin(node)
    queue.retain([])

    assert queue.pinned == ("b", "a")
    queue.unpin("b")
    queue.unpin("stranger")
    assert queue.pinned == ("a",)


def test_evicting_a_pinned_node_takes_its_pin_and_pinning_takes_back_the_eviction() -> None:
    queue = IndexQueue()
    queue.admit("a", 1)
    queue.pin("a")
    queue.evict("a")
    assert (queue.pinned, queue.evicted) == ((), {"a"})
    queue.pin("a")
    assert (queue.pinned, queue.evicted) == (("a",), set())


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 50)), max_size=40),
    st.lists(st.sampled_from("abcdef"), max_size=4),
    st.lists(st.sampled_from("abcdef"), max_size=4),
    st.integers(0, 60),
)
def test_the_queue_reads_back_from_disk_the_same(
    found: list[tuple[str, int]], pins: list[str], gone: list[str], turn: int
) -> None:
    queue = IndexQueue()
    for node, at in found:
        queue.admit(node, at)
    for node in pins:
        queue.pin(node)
    for node in gone:
        queue.evict(node)

    again = IndexQueue.from_plain(json.loads(json.dumps(queue.to_plain())))

    assert again.to_plain() == queue.to_plain()
    assert (again.pinned, again.evicted) == (queue.pinned, queue.evicted)
    assert [again.heat(node, turn) for node in "abc"] == [queue.heat(node, turn) for node in "abc"]


def test_a_queue_that_was_stored_before_there_were_pins_is_read() -> None:
    queue = IndexQueue.from_plain({"a": [2.5, 7]})

    assert (queue.nodes, queue.heat("a", 7), queue.pinned, queue.evicted) == ({"a"}, 2.5, (), set())
