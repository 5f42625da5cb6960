import pytest

from growbox_tui.agent.messages import Usage
from growbox_tui.models.usage import merge_raw, read_usage


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 64},
            },
            Usage(100, 7, 64),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": None}, Usage(9, 7)),
        ({"prompt_tokens": "100", "completion_tokens": "7.0"}, Usage(100, 7)),
        (
            {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 900}},
            Usage(100, None, 100),
        ),
        (
            {"prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40, "completion_tokens": 1},
            Usage(100, 1, 60),
        ),
        (
            {"prompt_tokens": 9, "cached_tokens": 3, "prompt_tokens_details": {"cached_tokens": 0}},
            Usage(9, None, 3),
        ),
        (
            {
                "input_tokens": 5,
                "cache_creation_input_tokens": 10,
                "cache_read_input_tokens": 85,
                "output_tokens": 3,
            },
            Usage(100, 3, 85, 10),
        ),
        (
            {
                "prompt_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 5, "cache_creation_input_tokens": 9},
            },
            Usage(50, None, 5, 9),
        ),
        (
            {"promptTokenCount": 8, "candidatesTokenCount": 2, "thoughtsTokenCount": 4},
            Usage(8, 2, reasoning=4),
        ),
        (
            {"inputTokens": 5, "cacheReadInputTokens": 15, "outputTokens": 1},
            Usage(20, 1, 15),
        ),
    ],
)
def test_every_dialect_gives_the_whole_prompt_and_its_cached_part(raw: dict, usage: Usage):
    assert read_usage(raw) == usage


@pytest.mark.parametrize("raw", [None, [], "12", {}, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_what_says_nothing_is_none_and_never_zero(raw: object):
    assert read_usage(raw) is None


@pytest.mark.parametrize("bad", [True, -4, "many", float("nan"), [1]])
def test_a_figure_that_is_no_count_is_unknown(bad: object):
    assert read_usage({"prompt_tokens": 5, "cached_tokens": bad}) == Usage(5)


def test_zeros_do_not_erase_figures_that_came_before():
    merged = merge_raw({"a": 5, "d": {"x": 1}}, {"a": 0, "b": 2, "d": {"x": 3}, "c": None})
    assert merged == {"a": 5, "b": 2, "d": {"x": 3}}
