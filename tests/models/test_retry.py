import random

import pytest

from growbox_tui.models.protocol import (
    CutStream,
    EmptyReply,
    Overloaded,
    QuotaSpent,
    RateLimited,
    Silent,
    TooLong,
    Unauthorised,
)
from growbox_tui.models.retry import asked_wait, next_try


def waits(error, rng=None) -> list[float]:
    found: list[float] = []
    while (wait := next_try(error, len(found) + 1, sum(found), rng)) is not None:
        found.append(wait)
    return found


def test_trouble_of_the_provider_is_tried_five_times_with_growing_waits():
    assert waits(Overloaded("x")) == [1, 2, 4, 8, 16]


def test_all_tries_together_stay_within_a_minute():
    assert next_try(Overloaded("x"), 5, 50.0) is None


def test_an_asked_wait_is_kept_within_ten_per_cent():
    error = RateLimited("x", retry_after=20.0)
    found = [next_try(error, 1, 0.0, random.Random(seed)) for seed in range(50)]
    assert all(wait is not None and 18 <= wait <= 22 for wait in found)
    assert len(set(found)) > 10


def test_a_wait_of_more_than_a_minute_stops():
    assert next_try(RateLimited("x", retry_after=61.0), 1, 0.0) is None


def test_an_empty_reply_is_tried_once_a_cut_one_twice_and_silence_once():
    assert len(waits(EmptyReply("x"))) == 1
    assert len(waits(CutStream("x"))) == 2
    assert len(waits(Silent("x"))) == 1


@pytest.mark.parametrize("kind", [Unauthorised, QuotaSpent, TooLong])
def test_what_waiting_does_not_mend_is_never_tried_again(kind: type):
    assert next_try(kind("x"), 1, 0.0) is None


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        (
            {
                "retry-after": "Sat, 05 Sep 2026 10:00:08 GMT",
                "date": "Sat, 05 Sep 2026 10:00:00 GMT",
            },
            "",
            8.0,
        ),
        ({}, "Please try again in 1m2.5s.", 62.5),
        ({}, "try again in 20ms", 0.02),
        ({}, '{"retryDelay": "3s"}', 3.0),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({}, "", None),
    ],
)
def test_the_wait_that_was_asked_is_read_from_headers_or_words(headers, body, seconds):
    assert asked_wait(headers, body) == seconds


def test_a_date_in_the_past_means_now():
    assert asked_wait({"retry-after": "Sat, 05 Sep 2020 10:00:08 GMT"}) == 0.0
