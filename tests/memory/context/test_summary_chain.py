"""The summary chain: one line a message, nothing lost, and back on demand."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.constraints import add, render_rules
from memory.context.eviction import Policy
from memory.context.summary_chain import (
    LOW_CHARS,
    MOST_RELOADED,
    RELOADED_CHARS,
    SummaryChain,
    link,
    on_file,
    rendered,
)
from memory.tokens import estimate
from memory.types import Line

NOW = 1_000_000_000
NODES = ("jwt-config", "jwt-code", "rs256-supplement", "db-pool", "hikari-example")
BODIES = dict.fromkeys(NODES, "") | {"rs256-supplement": "RS256 only, never HS256.\n" * 40}


def five() -> list[Line]:
    rows = [(60, 0.90, 0), (80, 0.85, 0), (40, 0.20, 400), (50, 0.10, 600), (70, 0.15, 600)]
    return [
        Line(
            *(seq, seq, "user" if seq in (1, 3, 4) else "assistant", f"line {seq}", tokens),
            *(NOW - age * 1000, NOW - age * 1000, node, relevance),
            supplement=seq == 3,
        )
        for seq, ((tokens, relevance, age), node) in enumerate(zip(rows, NODES, strict=True), 1)
    ]


def chain(budget: int, **policy: object) -> SummaryChain:
    return SummaryChain(five(), budget=budget, policy=Policy(**policy))  # type: ignore[arg-type]


def seqs(own: SummaryChain) -> list[int]:
    return [line.seq for line in own.lines]


def test_the_example_has_five_lines_of_300_tokens() -> None:
    assert (len(chain(200).lines), chain(200).tokens) == (5, 300)


def test_what_leaves_becomes_weak_references_in_the_order_in_which_it_left() -> None:
    own = chain(200)

    own.evict(NOW)

    assert (seqs(own), own.tokens) == ([1, 2, 3], 180)
    assert own.weak_refs == ("mem://db-pool", "mem://hikari-example")


def test_a_supplement_that_left_comes_back_with_the_words_of_its_full_text() -> None:
    own = chain(150)
    own.evict(NOW)
    assert own.weak_refs[-1] == "mem://rs256-supplement"

    back, sent = own.reload("mem://rs256-supplement", BODIES["rs256-supplement"], NOW)

    assert own.weak_refs == ("mem://db-pool", "mem://hikari-example")
    assert (seqs(own), sent) == ([1, 2, 3], ())
    assert back.text.startswith("RS256 only, never HS256. RS256 only")
    assert back.text.endswith("…")
    assert len(back.text) <= RELOADED_CHARS
    assert (back.accessed, back.relevance, back.supplement) == (NOW, None, True)
    assert rendered(back).startswith("[user, added, reloaded] RS256")
    assert back.tokens == estimate(rendered(back))


def test_what_came_back_is_not_dropped_at_once_and_leaves_once_only() -> None:
    own = chain(150)
    own.evict(NOW)
    own.reload("mem://db-pool", "HikariPool of 40", NOW)

    own.budget = 1000
    own.evict(NOW)
    assert 4 in seqs(own)
    own.budget = 1
    own.evict(NOW + 10**6)

    assert sorted(own.weak_refs) == sorted(set(own.weak_refs))


def test_one_more_that_comes_back_sends_the_one_needed_longest_ago_away() -> None:
    lines = [link(seq, 1, "user", f"word {seq}", NOW, f"n{seq}") for seq in range(1, 7)]
    own = SummaryChain(lines[:1], lines[1:])

    for place, seq in enumerate((2, 3, 4, 5), 1):
        back, sent = own.reload(f"mem://n{seq}", "", NOW + place)
        assert back.text == f"word {seq}"

    assert [line.seq for line in sent] == [2]
    assert sum(line.reloaded for line in own.lines) == MOST_RELOADED
    assert own.weak_refs == ("mem://n6", "mem://n2")


def test_an_address_that_never_left_cannot_be_reloaded() -> None:
    own = chain(150)

    with pytest.raises(LookupError, match="jwt-config"):
        own.reload("mem://jwt-config", "x", NOW)


def test_one_line_that_is_too_large_is_shown_shortened_with_its_address() -> None:
    words = "The pool is exhausted. " * 90
    own = SummaryChain([replace(five()[0], text=words, tokens=500)], budget=100)

    done = own.evict(NOW)

    assert done.over_budget
    shown = own.handoff()
    assert estimate(shown) <= 100
    assert shown.endswith("… | mem://jwt-config")
    assert own.text().endswith("… | mem://jwt-config")


def test_a_line_stays_when_its_text_cannot_be_archived_and_the_error_is_told() -> None:
    def archive(line: Line) -> str:
        if line.seq == 4:
            raise OSError("the disk is full")
        return on_file(line)

    own = chain(200)
    done = own.evict(NOW, archive=archive)

    assert 4 in seqs(own)
    assert [(line.seq, str(error)) for line, error in done.failed] == [(4, "the disk is full")]
    # Another one leaves in its stead.
    assert [leaving.line.seq for leaving in done.out] == [5, 3]
    assert (own.tokens, done.over_budget) == (190, False)


def test_a_line_without_a_node_is_archived_before_it_leaves() -> None:
    bare = [replace(line, node=None) for line in five()]
    own = SummaryChain(bare, budget=200)

    refused = own.evict(NOW)
    assert (len(own.lines), refused.over_budget) == (5, True)
    own.evict(NOW, archive=lambda line: f"archived{line.seq}")

    assert own.weak_refs == ("mem://archived4", "mem://archived5")


def test_two_lines_of_one_node_leave_one_weak_reference() -> None:
    twins = [replace(line, node="same") for line in five()]
    own = SummaryChain(twins, budget=200)

    own.evict(NOW)

    assert own.weak_refs == ("mem://same",)


def test_low_relevance_stands_below_and_short_but_a_supplement_does_not() -> None:
    words = "connection pool settings of the order service " * 4
    low = Line(1, 1, "assistant", words, 60, NOW, NOW, "low", 0.2)
    added = replace(low, seq=2, role="user", node="added", supplement=True)
    unknown = replace(low, seq=3, node="unknown", relevance=nan)
    own = SummaryChain([low, added, unknown])

    main, _, rest = own.text("the tester").partition("\nEarlier, of low relevance to the task:\n")

    assert main.startswith("Earlier in this conversation (the tester), in short:\n[user, added] ")
    assert f"{words.strip()[:70]}" in main
    assert "mem://low" not in main
    assert "mem://unknown" in main
    assert rest.startswith("0.20 [assistant] connection")
    shown = rest.removeprefix("0.20 [assistant] ").removesuffix(" | mem://low")
    assert len(shown) <= LOW_CHARS
    assert own.text() == own.text()


def test_the_newest_lines_are_given_with_their_addresses() -> None:
    own = chain(1000)

    assert own.text_with_iris(2, 5) == (
        "[user] line… | mem://db-pool\n[assistant] line… | mem://hikari-example"
    )
    assert own.text_with_iris(0, 5) == ""
    assert own.handoff().count("\n") == 4


def test_a_supplement_that_left_still_stands_in_the_constraints_block() -> None:
    own = chain(150)
    rules = add((), 1, "RS256 only, never HS256", "steered", NOW).rules

    own.evict(NOW)

    assert 3 not in seqs(own)
    assert "RS256 only, never HS256" in render_rules(rules)


def test_evicting_lines_changes_no_byte_in_front_of_the_chain() -> None:
    rules = add((), 1, "Use tabs", "stated", NOW).rules

    def prompt(own: SummaryChain) -> str:
        return f"system\n{render_rules(rules)}\n{own.text()}"

    own = chain(100)
    before = prompt(own)
    own.evict(NOW)
    after = prompt(own)

    head = f"system\n{render_rules(rules)}\n"
    assert len(five()) - len(own.lines) >= 3
    assert before.startswith(head)
    assert after.startswith(head)
    kept = [line for line in after.split("\n") if line in before.split("\n")]
    assert kept == after.split("\n")  # what stays keeps its bytes and its order


def test_a_touched_line_is_new_again_and_never_moves() -> None:
    own = chain(1000)

    touched = own.touch({"db-pool"}, NOW)
    own.evict(NOW)

    assert [line.accessed for line in touched] == [NOW]
    assert seqs(own) == [1, 2, 3, 4]
    assert own.touch({"unknown"}, NOW) == ()
    assert own.touch({"db-pool"}, 5)[0].accessed == NOW


def test_a_judgement_reaches_the_lines_that_stand_and_no_others() -> None:
    own = chain(1000)
    judged = [replace(line, relevance=0.9, embedding=(1.0,)) for line in five()]

    own.judge([*judged, replace(judged[0], seq=99)])

    assert [line.relevance for line in own.lines] == [0.9] * 5
    assert own.lines[0].embedding == (1.0,)


def test_a_position_is_taken_in_once_and_the_order_is_that_of_the_messages() -> None:
    own = SummaryChain()
    for seq in (2, 5, 3):
        own.append(link(seq, 1, "tool", "x", NOW))

    assert seqs(own) == [2, 3, 5]
    with pytest.raises(ValueError, match="line 3"):
        own.append(link(3, 1, "tool", "x", NOW))


def test_lines_may_leave_for_another_reason() -> None:
    own = chain(1000)

    assert [line.seq for line in own.leave({2, 1, 77})] == [1, 2]
    assert own.weak_refs == ("mem://jwt-config", "mem://jwt-code")


@given(st.text(max_size=400), st.sampled_from(("user", "assistant", "tool")), st.booleans())
def test_a_link_is_one_line_and_knows_its_tokens(text: str, role: str, added: bool) -> None:
    line = link(1, 1, role, text, NOW, "abc123def456", added)  # type: ignore[arg-type]

    assert len(rendered(line).splitlines()) == 1
    assert estimate(line.text) <= 60
    assert line.tokens == estimate(rendered(line))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("append", "touch", "evict", "reload")),
            st.integers(1, 30),
            st.floats(0, 1) | st.just(nan),
        ),
        max_size=40,
    ),
    st.integers(20, 200),
)
def test_whatever_happens_every_line_stands_or_is_a_weak_reference(
    steps: list[tuple[str, int, float]], budget: int
) -> None:
    own = SummaryChain(budget=budget)
    said: set[str] = set()
    now, seq = NOW, 0
    for verb, number, judged in steps:
        now += number * 60_000
        if verb == "append":
            seq += 1
            said.add(f"n{seq}")
            line = link(seq, seq, "user", "word " * number, now, f"n{seq}", number % 5 == 0)
            own.append(replace(line, relevance=judged))
        elif verb == "touch":
            own.touch({f"n{number}"}, now)
        elif verb == "evict":
            done = own.evict(now)
            assert own.tokens <= budget or (done.over_budget and len(own.lines) == 1)
        elif own.weak_refs:
            own.reload(own.weak_refs[number % len(own.weak_refs)], "body " * number, now)
        standing = {line.node for line in own.lines}
        gone = {iri.removeprefix("mem://") for iri in own.weak_refs}
        assert standing | gone == said
        assert not standing & gone
        assert seqs(own) == sorted(seqs(own))
