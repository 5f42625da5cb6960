from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.context.tail_ring import TailRing, groups, kept
from memory.types import Entry


def entries(*rows: tuple[int, str, int]) -> list[Entry]:
    """Each row: turn, role and tokens. What a user says has a node of its own."""
    return [
        Entry(seq, turn, role, f"body {seq}", tokens, f"n{seq}" if role == "user" else None, ())  # type: ignore[arg-type]
        for seq, (turn, role, tokens) in enumerate(rows, start=1)
    ]


def seqs(found: tuple[Entry, ...]) -> list[int]:
    return [entry.seq for entry in found]


TWO_TURNS = entries(
    (1, "user", 10), (1, "assistant", 10), (1, "tool", 10), (1, "assistant", 10),
    (2, "user", 10), (2, "assistant", 10), (2, "tool", 10), (2, "tool", 10), (2, "assistant", 10),
)  # fmt: skip


def test_all_stays_that_fits() -> None:
    assert kept(TWO_TURNS, 90) == tuple(TWO_TURNS)


def test_whole_turns_go_from_the_front() -> None:
    assert seqs(kept(TWO_TURNS, 89)) == [5, 6, 7, 8, 9]
    assert seqs(kept(TWO_TURNS, 50)) == [5, 6, 7, 8, 9]


def test_a_budget_of_zero_keeps_nothing() -> None:
    assert kept(TWO_TURNS, 0) == ()
    assert kept([], 100) == ()


def test_a_running_turn_keeps_its_question_and_its_newest_groups() -> None:
    assert seqs(kept(TWO_TURNS, 49)) == [5, 9]
    running = TWO_TURNS[:-1]
    assert seqs(kept(running, 39)) == [5, 6, 7, 8]


def test_a_running_turn_keeps_its_question_and_newest_group_even_over_the_budget() -> None:
    giant = entries((1, "user", 50), (1, "assistant", 5), (1, "tool", 9), (1, "assistant", 500),
                    (1, "tool", 900))  # fmt: skip

    assert seqs(kept(giant, 10)) == [1, 4, 5]


def test_words_that_the_user_added_in_a_running_turn_stay() -> None:
    steered = entries((1, "user", 5), (1, "assistant", 90), (1, "tool", 90), (1, "user", 5),
                      (1, "assistant", 9), (1, "tool", 9))  # fmt: skip

    assert seqs(kept(steered, 40)) == [1, 4, 5, 6]


def test_one_giant_turn_does_not_hold_an_older_one_behind_it() -> None:
    rows = entries((1, "user", 5), (2, "user", 900), (3, "user", 5), (4, "user", 5))

    assert seqs(kept(rows, 20)) == [3, 4]


@st.composite
def tails(draw: st.DrawFn) -> list[Entry]:
    rows: list[tuple[int, str, int]] = []
    size = st.integers(1, 40)
    for turn in range(1, draw(st.integers(1, 5)) + 1):
        rows.append((turn, "user", draw(size)))
        for _ in range(draw(st.integers(0, 4))):
            role = draw(st.sampled_from(["assistant", "assistant", "user"]))
            rows.append((turn, role, draw(size)))
            if role == "assistant":
                rows += [(turn, "tool", draw(size)) for _ in range(draw(st.integers(0, 3)))]
    return entries(*rows)


@given(tails(), st.integers(1, 300))
def test_no_call_is_parted_from_its_results(tail: list[Entry], budget: int) -> None:
    staying = kept(tail, budget)

    for group in groups(tail):
        assert len({entry in staying for entry in group}) == 1


@given(tails(), st.integers(1, 300))
def test_what_stays_is_the_end_of_the_tail_but_for_the_middle_of_the_newest_turn(
    tail: list[Entry], budget: int
) -> None:
    staying = kept(tail, budget)
    newest = tail[-1].turn

    older = [entry for entry in staying if entry.turn < newest]
    assert older == [entry for entry in tail if entry.turn in {e.turn for e in older}]
    spoken = [entry for entry in tail if entry.turn == newest and entry.role == "user"]
    assert [entry for entry in staying if entry in spoken] == spoken
    if older:
        assert [entry for entry in tail if entry.turn == newest] == [
            entry for entry in staying if entry.turn == newest
        ]


@given(tails(), st.integers(1, 300))
def test_the_budget_holds_unless_the_least_is_more(tail: list[Entry], budget: int) -> None:
    staying = kept(tail, budget)
    newest = [entry for entry in tail if entry.turn == tail[-1].turn]
    spoken = [entry for entry in newest if entry.role == "user"]
    others = [group for group in groups(newest) if group[0].role != "user"]
    least = {entry.seq for entry in (*spoken, *(others[-1] if others else []))}

    tokens = sum(entry.tokens for entry in staying)
    assert tokens <= budget or {entry.seq for entry in staying} == least


@given(tails())
def test_a_ring_counts_what_it_holds(tail: list[Entry]) -> None:
    ring = TailRing(tail)

    assert ring.entries == tuple(tail)
    assert ring.tokens == sum(entry.tokens for entry in tail)
