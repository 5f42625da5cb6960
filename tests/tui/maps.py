"""Maps: what recall has learned and how a ladder was climbed, for the pages of memory."""

from __future__ import annotations

from dataclasses import replace

from growbox_tui.agent import events as e
from memory.recall.overview import (
    AnchorView,
    Bucket,
    DebtView,
    Jump,
    Key,
    MemoryMap,
    PointerView,
    Spot,
)
from tests.tui.specimens import HITS, NOW

MOMENT = int(NOW.timestamp() * 1000)
DAY = 86_400_000
ASKED = "why does the pruning job skip branch nodes?"


def spot(number: int, label: str) -> Spot:
    return Spot(f"01J9ZQ4T7K3M5N8P2R6S0V1X{number:02d}", MOMENT - number * 9 * DAY, label)


NOWHERE = Spot("", 0, "")
GRAFT = spot(1, "children_done must be tested in `graft.py`, not is_leaf(): the fix of 3 May")
LATE = spot(2, "decision: prune late, never early, because graft.py still reads the tree")
LEAF = spot(3, "is_leaf() 的约定：只数未完成的子节点，枝节点不算")
RELEASE = spot(4, "release/2.1 is the branch that takes mended pruning jobs")


def bucket(number: int, *shares: int) -> Bucket:
    return Bucket(
        number * 124 + 1, number * 124 + 124, MOMENT - (100 - number) * 4 * DAY, 124, *shares
    )


def shade(number: int) -> tuple[int, int, int]:
    """Deep, light, owed of a bucket: the newest and one old stretch read, one owed, some passed."""
    if number >= 82 or 12 <= number < 26:
        return 124, 0, 0
    if 40 <= number < 46:
        return 0, 20, 104
    return (10, 90, 0) if 66 <= number < 82 else (0, 6, 0)


BUCKETS = tuple(bucket(number, *shade(number)) for number in range(100))


def key(question: str, positive: bool, *figures: int) -> Key:
    tries, successes, days = figures
    return Key(question, positive, 1.0 + successes / 2, tries, successes, MOMENT - days * DAY)


KEYS = (
    key(ASKED, True, 6, 5, 0),
    key("what makes prune() leave half of the tree standing?", True, 2, 2, 12),
    key("剪枝任务为什么会跳过枝节点，我们上次是怎么改的？", True, 1, 0, 40),
    key("why does the test job skip slow tests?", False, 1, 0, 3),
)


def pointer(
    number: int, source: Spot, target: Spot, keys: tuple[Key, ...], tries: int, good: int
) -> PointerView:
    made = MOMENT - 50 * DAY
    return PointerView(number, source, target, keys, tries, good, made, MOMENT - number * DAY)


MAP = MemoryMap(
    buckets=BUCKETS,
    pointers=(
        pointer(11, LATE, GRAFT, KEYS, 9, 7),
        pointer(12, NOWHERE, LATE, (key("do we prune early or late?", True, 3, 3, 1),), 3, 3),
        pointer(13, GRAFT, LEAF, (key("枝节点算不算叶子？", True, 4, 3, 5),), 4, 3),
        pointer(14, NOWHERE, RELEASE, (key("where do mended jobs go?", False, 2, 0, 9),), 2, 0),
    ),
    anchors=(AnchorView(LEAF, GRAFT, 1, 0.62, 0), AnchorView(RELEASE, NOWHERE, 2, 0.18, 2)),
    debts=(
        DebtView(ASKED, "judge", 4_961, 5_704, 624, 1),
        DebtView("枝节点算不算叶子？", "scan", 1, 4_960, 4_960, 0),
    ),
    jumps=(
        Jump(3, LATE, NOWHERE, "", "as we said about pruning", MOMENT - 2 * DAY),
        Jump(2, LEAF, GRAFT, "s1", "", MOMENT - 30 * DAY),
    ),
    pointer_count=412,
    anchor_count=2,
    debt_count=2,
    question_count=388,
    overflow=17,
)
STEPS = (
    e.StepView("jumps", 0, ms=0.2),
    e.StepView("pins", 1, ms=0.1, note="it stands in the prompt anyway"),
    e.StepView("pointers", 2, 1, 820, 412.0, "by a question much like this one; confirmed"),
)
SURE = tuple(
    replace(
        hit,
        rung="pointers" if at < 2 else "near",
        key=KEYS[1].question if at < 2 else "",
        piece=(1_204, 1_690) if at == 0 else None,
        confirmed=at == 0,
        placeholder=at == 2,
    )
    for at, hit in enumerate(HITS)
)
CLIMBED = e.Recalled(
    query=ASKED, hits=SURE, ways=("text", "vector", "time"), ms=431.4, tokens=640, complete=False,
    answered_by="pointers", steps=STEPS,
    unread=(e.StretchView(1, 4_960), e.StretchView(5_705, 6_100)),
    price=e.PriceView(5_356, 410_300, 96), recollection=41,
)  # fmt: skip
"""A pointer was sure, and the rest is owed."""
NEAR = e.StepView(
    "near", 3, ms=14.2, note="2 by vector, 1 by words; none of them above the bar of this embedder"
)
LIKELY = replace(
    CLIMBED,
    hits=tuple(
        replace(hit, rung="near", key="", piece=None, confirmed=False, placeholder=True)
        for hit in SURE
    ),
    answered_by="near",
    steps=(
        e.StepView("jumps", 0, ms=0.2), e.StepView("pins", 0, ms=0.1),
        e.StepView("pointers", 0, ms=1.1), e.StepView("anchors", 0, ms=0.3), NEAR,
        e.StepView("scan", 0, ms=0.0, note="the approximate index is at hand"),
        e.StepView("reading", 0, note="no judge is able; it is offered for its price"),
    ),
    ms=16.0,
)  # fmt: skip
"""No judge is able: all that is known is what looks alike."""
READ = replace(
    CLIMBED,
    hits=tuple(replace(hit, rung="reading", key="", confirmed=True) for hit in SURE[:2]),
    answered_by="reading",
    steps=(*STEPS[:2], NEAR, e.StepView("reading", 2, 96, 410_300, 61_400.0, "all of it")),
    ms=61_420.0,
    complete=True,
    unread=(),
    price=None,
    recollection=42,
)
"""Everything was read."""
