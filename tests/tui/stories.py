"""Stories: requests as the cache saw them, for the cache page."""

from __future__ import annotations

from growbox_tui.agent.events import RuleView, Shortfall
from growbox_tui.agent.story import Story, StoryRow, Totals, total
from tests.tui.specimens import NOW

MINUTE = 60_000
PRICE = 3e-6
"""US dollars of an input token."""


def row(
    request: int,
    tokens: int,
    bound: int,
    reported: int | None,
    kind: Shortfall = "",
    cause: str = "",
    *,
    predicted: int | None = None,
    priced: bool = True,
    epoch: int = 1,
) -> StoryRow:
    """One request of a model whose cache reads at a tenth of its price."""
    read = reported or 0
    cost = (tokens - read) * PRICE * 1.25 + read * PRICE / 10 + 400 * PRICE * 5
    saved = read * PRICE * 0.9 - (tokens - read) * PRICE * 0.25
    known = priced and reported is not None
    return StoryRow(
        request,
        int(NOW.timestamp() * 1000) - (40 - request) * 3 * MINUTE,
        "anthropic/claude-sonnet-4-5",
        epoch,
        tokens,
        bound if predicted is None else predicted,
        reported,
        bound,
        kind,
        cause,
        cost if priced else None,
        saved if known else None,
        max(0, bound - read) * PRICE * 1.15 if known else None,
    )


EXPIRED = "6 min 12 s passed since the last request, its cache lives 5 min"
FORGOT = "it forgot 17,900 tokens 40 s after it had served them"
EPOCH = "epoch 2 began with a shorter prompt"
STEP = "the provider serves whole steps of 128"
ROWS = (
    row(1, 1_240, 0, 0, "first"),
    *(row(n, 1_240 + 1_900 * n, 1_900 * n - 660, 1_900 * n - 660) for n in range(2, 15)),
    row(15, 28_900, 27_800, 0, "expiry", EXPIRED),
    *(row(n, 15_400 + 900 * n, 14_500 + 900 * n, 14_500 + 900 * n) for n in range(16, 24)),
    row(24, 21_400, 17_200, 9_300, "epoch", EPOCH, predicted=9_300, epoch=2),
    row(25, 22_000, 21_400, 21_376, "step", STEP, epoch=2),
    row(26, 23_100, 22_000, 4_100, "provider", FORGOT, epoch=2),
    row(27, 24_000, 23_100, None, "not reported", epoch=2),
    row(28, 24_800, 24_000, 24_000, epoch=2),
)
STORY = Story(
    ROWS,
    total(ROWS),
    Totals(61, 1, 0, 1_402_000, 1_297_000, 1_331_000, 34_000, 1.31, 3.62, 0.11),
    Totals(14_204, 12, 310, 412_000_000, 389_000_000, 393_100_000, 4_100_000, 412.7, 1_122.0, 14.1),
)
RULES = (
    RuleView(1, "Never touch src/legacy without asking.", "stated", True),
    RuleView(2, "一律用四个空格缩进，不要用制表符。", "stated", True),
    RuleView(
        4,
        "Run the whole test suite before you say that something is done, and say in one line what "
        "was run and how it ended.",
        "steered",
        False,
    ),
)
