"""Quotations: what points to what was said before, and what only looks like it."""

from __future__ import annotations

import pytest

from memory.recall.quoting import MOST, quotations, quoted

from .conftest import Store

VALVE = "the boiler valve opens at nine bar"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"> {VALVE}\nIs that so?", (VALVE,)),
        (f"> {VALVE}\n> and closes at seven\n\nIs it?", (f"{VALVE} and closes at seven",)),
        (f"As we said, {VALVE}. Do it now.", (VALVE,)),
        (f"You said “{VALVE}”; then change it.", (VALVE,)),
        (f'like I told you: "{VALVE}"', (VALVE,)),
        ("我们之前说过锅炉的阀门在九巴打开。现在呢?", ("锅炉的阀门在九巴打开",)),
        ("上次讨论过的:数据库用 SQLite,不用 Postgres", ("数据库用 SQLite,不用 Postgres",)),
        ('rename "the boiler valve opens" to "the pump"', ()),
        ("as we decided", ()),
        ("> ok, thanks", ()),
        ("hello", ()),
        ("", ()),
    ],
)
def test_what_is_quoted_is_what_stands_behind_a_mark_of_quotation(
    text: str, found: tuple[str, ...]
) -> None:
    assert quotations(text) == found


def test_only_some_quotations_of_a_message_are_looked_at() -> None:
    blocks = "\n\nand\n\n".join(f"> the boiler valve number {n} opens at nine" for n in range(9))
    assert len(quotations(blocks)) == MOST


def test_the_newest_that_says_it_is_quoted_and_not_who_quotes_it_too(store: Store) -> None:
    store.add(f"We found that {VALVE}.")
    newest = store.add(f"Once more: {VALVE.upper()}!", role="assistant")
    store.add(f"> {VALVE}\nreally?")
    store.add(f"As we said, {VALVE}.")
    store.add(f"log: {VALVE}", role="tool")
    assert quoted(store.db, VALVE) == newest


def test_nearly_the_same_words_are_quoted_loosely_and_other_words_are_not(store: Store) -> None:
    node = store.add("When the boiler is hot its valve opens, always at nine bar or a bit more.")
    store.add("The boiler is green.")
    assert quoted(store.db, "boiler hot, valve opens at nine bar") == node
    assert quoted(store.db, "the boiler valve leaks at the seam near the pump") is None
    assert quoted(store.db, "the boiler") is None


def test_a_quotation_from_a_long_text_is_found_in_its_piece(store: Store) -> None:
    facts = "".join(f"Fact {n}: pump {n} turns {n * 7} times an hour. " for n in range(90))
    node = store.add(facts)
    assert quoted(store.db, "pump 41 turns 287 times an hour") == node
