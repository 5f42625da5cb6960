from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.scale import Makeup, Scale, added, of_call, of_text

BLOCKS = st.tuples(
    st.integers(0, 20_000),
    st.integers(0, 2_000),
    st.integers(0, 4_000),
    st.integers(0, 5_000),
    st.integers(0, 40),
    st.integers(0, 40),
)


def test_a_text_is_made_of_its_letters_and_of_being_one() -> None:
    assert of_text("plain") == (5, 0, 0, 0, 1, 0)
    assert of_text("苹果 ab é") == (4, 0, 0, 3, 1, 0)
    assert of_text("a1\n{2.5}") == (2, 3, 3, 0, 1, 0)
    assert of_text("") == (0, 0, 0, 0, 1, 0)
    assert of_call("ls -a") == (4, 0, 1, 0, 0, 1)
    assert added([of_text("ab"), (1, 2, 3, 4, 5, 6)]) == (3, 2, 3, 4, 6, 6)
    assert added([]) == (0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "truth",
    [
        (0.25, 0.25, 0.25, 0.75, 2.0, 20.0),
        (0.22, 1.1, 0.6, 0.6, 4.0, 12.0),
        (0.4, 0.8, 0.5, 1.6, 1.0, 30.0),
    ],
)
def test_what_a_provider_counts_is_learned_from_some_reports(truth: tuple[float, ...]) -> None:
    draw = random.Random(1)
    scale = Scale.of(1.0)
    for _ in range(60):
        makeup = (
            draw.randint(100, 6_000),
            draw.randint(0, 500),
            draw.randint(0, 900),
            draw.randint(0, 800),
            draw.randint(1, 4),
            draw.randint(0, 6),
        )
        scale = scale.after(makeup, sum(w * n for w, n in zip(truth, makeup, strict=True)))
    for makeup in (
        (5_000, 90, 200, 0, 3, 0),
        (300, 0, 20, 700, 2, 1),
        (2_000, 300, 400, 100, 0, 9),
    ):
        true = sum(w * n for w, n in zip(truth, makeup, strict=True))
        assert scale.tokens(makeup) == pytest.approx(true, rel=0.02, abs=4)


def test_uneven_texts_are_learned_in_the_middle() -> None:
    draw = random.Random(2)
    scale = Scale.of(1.0)
    for _ in range(200):
        size = draw.randint(500, 5_000)
        scale = scale.after((size, 0, 0, 0, 1, 0), size * draw.uniform(0.3, 0.36))
    assert scale.tokens((10_000, 0, 0, 0, 1, 0)) == pytest.approx(3_300, rel=0.06)


def test_a_figure_that_can_hardly_be_true_teaches_nothing() -> None:
    scale = Scale.of(1.0)
    for makeup, tokens in (
        ((400, 0, 0, 0, 1, 0), 2_000),
        ((4_000, 0, 0, 0, 1, 0), 50),
        ((0, 0, 0, 0, 0, 0), 9),
        ((9, 0, 0, 0, 1, 0), 0),
    ):
        assert scale.after(makeup, tokens) == scale


@given(st.lists(st.tuples(BLOCKS, st.integers(0, 30_000)), max_size=30), BLOCKS)
def test_no_reports_make_a_text_worth_less_than_nothing(
    reports: list[tuple[Makeup, int]], asked: Makeup
) -> None:
    scale = Scale.of(1.3)
    for makeup, tokens in reports:
        scale = scale.after(makeup, tokens)
    assert scale.tokens(asked) >= 0
    assert Scale.from_plain(json.loads(json.dumps(scale.to_plain()))) == scale
