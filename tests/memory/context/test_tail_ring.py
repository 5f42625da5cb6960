from __future__ import annotations

from dataclasses import replace

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


def shortened(entry: Entry, tokens: int) -> Entry:
    """What the spine does to a giant."""
    return replace(entry, body=f"short {entry.seq}", tokens=min(tokens, entry.tokens))


def test_all_stays_that_fits() -> None:
    assert kept(TWO_TURNS, 90) == tuple(TWO_TURNS)


def test_whole_groups_go_from_the_front() -> None:
    assert seqs(kept(TWO_TURNS, 89)) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert seqs(kept(TWO_TURNS, 79)) == [4, 5, 6, 7, 8, 9]
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


def test_of_what_the_user_said_in_a_running_turn_the_first_and_the_last_stay() -> None:
    steered = entries((1, "user", 5), (1, "assistant", 90), (1, "user", 5), (1, "tool", 90),
                      (1, "user", 5), (1, "assistant", 9), (1, "tool", 9))  # fmt: skip

    assert seqs(kept(steered, 40)) == [1, 5, 6, 7]


def test_a_giant_is_shortened_and_what_is_older_stays() -> None:
    rows = entries((1, "user", 10), (1, "assistant", 10), (2, "user", 10), (2, "assistant", 5),
                   (2, "tool", 50_000), (2, "assistant", 20))  # fmt: skip

    staying = kept(rows, 200, shortened)

    assert seqs(staying) == [1, 2, 3, 4, 5, 6]
    assert sum(entry.tokens for entry in staying) <= 200
    assert staying[4].body == "short 5"
    assert seqs(kept(rows, 200)) == [3, 6]


def test_a_giant_that_was_just_read_may_take_more_than_the_others_but_not_all() -> None:
    rows = entries((1, "user", 10), (1, "assistant", 10), (1, "tool", 400))

    assert kept(rows, 100, shortened, 500) == tuple(rows)
    staying = kept(rows, 100, shortened, 200)
    assert [entry.tokens for entry in staying] == [10, 10, 180]


def test_no_large_gap_is_left_where_the_next_group_can_be_shortened() -> None:
    rows = entries(*[(1, "user", 10)] * 2, *[(2, role, 30) for role in ("user", "assistant")] * 4)

    for budget in range(60, 250):
        staying = kept(rows, budget, shortened)
        assert budget * 7 / 8 < sum(entry.tokens for entry in staying) <= budget


def test_a_giant_that_cannot_be_made_small_takes_what_is_left() -> None:
    rows = entries((1, "user", 300), (1, "assistant", 700), (2, "user", 10), (2, "assistant", 20))

    def to_half(entry: Entry, tokens: int) -> Entry:
        return shortened(entry, max(tokens, entry.tokens // 2))

    assert [entry.tokens for entry in kept(rows, 400, to_half)] == [350, 10, 20]


def test_small_results_beside_a_giant_stay_whole() -> None:
    rows = entries((1, "user", 10), (1, "assistant", 10), (1, "tool", 3_000), (1, "tool", 30),
                   (1, "tool", 9_000))  # fmt: skip

    assert [entry.tokens for entry in kept(rows, 250, shortened)] == [10, 10, 100, 30, 100]


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


@given(tails(), st.integers(1, 300), st.booleans())
def test_what_stays_is_the_end_of_the_tail_and_the_words_of_the_running_turn(
    tail: list[Entry], budget: int, shortens: bool
) -> None:
    staying = seqs(kept(tail, budget, shortened if shortens else None))

    least = least_of(tail)
    assert set(least) <= set(staying)
    others = [seq for seq in seqs(tuple(tail)) if seq not in least]
    assert [seq for seq in staying if seq not in least] == others[
        len(others) - (len(staying) - len(least)) :
    ]


@given(tails(), st.integers(1, 300))
def test_the_budget_holds_unless_the_least_is_more(tail: list[Entry], budget: int) -> None:
    staying = kept(tail, budget)

    tokens = sum(entry.tokens for entry in staying)
    assert tokens <= budget or seqs(staying) == least_of(tail)


@given(tails(), st.integers(20, 300))
def test_where_all_can_be_shortened_the_budget_always_holds(tail: list[Entry], budget: int) -> None:
    assert sum(entry.tokens for entry in kept(tail, budget, shortened)) <= budget


def least_of(tail: list[Entry]) -> list[int]:
    """Of the running turn the first and last words of the user, and the newest group."""
    newest = groups(tail)[-1]
    spoken = [e for e in tail if e.turn == tail[-1].turn and e.role == "user"]
    return sorted({e.seq for e in [*newest, *spoken[:1], *spoken[-1:]]})


@given(tails())
def test_a_ring_counts_what_it_holds(tail: list[Entry]) -> None:
    ring = TailRing(tail)

    assert ring.entries == tuple(tail)
    assert ring.tokens == sum(entry.tokens for entry in tail)
