"""Two-stage semantic eviction: which lines of the summary chain leave. Pure and deterministic.

Stage 1 drops what is known to be irrelevant and was not needed for a while. Stage 2 drops the line
of the lowest score, one after the other, until the rest fits. Anything that is not a finite number
counts as unknown, and unknown is not low.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import hypot, inf, isfinite
from operator import mul
from typing import Literal

from memory.types import Line

UNKNOWN = 0.5
"""Relevance of what nobody judged."""
TASK_SHARE = 0.6
"""What nearness to the task counts in a line's relevance; nearness to the user's message before
counts the rest."""
LEAST_RELEVANCE = 0.001
"""No line is judged to be worth nothing at all."""

SMALL, LARGE = 1e-100, 1e100
"""Between these lengths the product of two vectors can be taken as it is."""

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Policy:
    """How eviction weighs. The defaults are the worked example's."""

    protect: Literal["literal", "soft", "hard"] = "literal"
    """What stage 2 does with what the user added while the agent ran. ``literal``: as any line.
    ``soft``: they leave when nothing else is left. ``hard``: never."""
    stage_one: Literal["always", "gated"] = "always"
    """``gated``: only as long as the lines are over budget."""
    threshold: float = 0.3
    """Relevance below which stage 1 may drop a line."""
    safe_seconds: float = 300.0
    """For so long after it was last needed stage 1 leaves a line alone."""
    semantic: float = 0.6
    """Share of the meaning in the score; recency and cheapness have the rest."""
    recency: float = 0.5
    cheapness: float = 0.5
    half_life: float | None = None
    """Seconds after which the recency term is half; ``None`` is ``1 / (1 + age)``."""


DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Leaving:
    """A line that leaves."""

    line: Line
    stage: Literal[1, 2]
    score: float
    """Its score of stage 2."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """What two-stage eviction decided."""

    kept: tuple[Line, ...]
    """In the order they came."""
    out: tuple[Leaving, ...]
    """In the order in which they leave."""
    tokens: int
    """Of the kept ones."""
    over_budget: bool
    """Whether they do not fit although nothing more may leave."""


def two_stage(
    lines: Sequence[Line],
    budget: int,
    now: int,
    query: Vector | None = None,
    policy: Policy = DEFAULT,
    held: Collection[int] = (),
) -> Eviction:
    """Decide which lines leave so that the others take at most ``budget`` estimated tokens.

    ``now``: milliseconds, UTC. ``query``: the vector of what is worked on. ``held``: ``Line.seq``
    of lines that stay in any case. The last line never leaves; of equal scores the first does. A
    line without tokens frees nothing and stays in stage 2. Never raises.
    """
    costs = [max(0, line.tokens) for line in lines]
    scores = [score(line, now, query, policy) for line in lines]
    staying = dict.fromkeys(range(len(lines)))
    total = sum(costs)
    out: list[Leaving] = []

    def leave(place: int, stage: Literal[1, 2]) -> None:
        nonlocal total
        del staying[place]
        total -= costs[place]
        out.append(Leaving(lines[place], stage, scores[place]))

    stale = [line.seq not in held and _stale(line, now, policy) for line in lines]
    if lines and all(stale):  # one has to stay: the best, of equal ones the newest
        stale[max(staying, key=lambda place: (scores[place], place))] = False
    for place in [place for place in staying if stale[place]]:
        if policy.stage_one == "always" or total > budget:
            leave(place, 1)
    for place in sorted(staying, key=lambda place: _order(lines[place], scores[place], policy)):
        if total <= budget or len(staying) == 1:
            break
        shielded = policy.protect == "hard" and lines[place].supplement
        if costs[place] and not shielded and lines[place].seq not in held:
            leave(place, 2)
    kept = tuple(lines[place] for place in staying)
    return Eviction(kept, tuple(out), total, total > budget)


def score(line: Line, now: int, query: Vector | None = None, policy: Policy = DEFAULT) -> float:
    """What a line is worth, 0 to 1 with the default weights: meaning, recency, cheapness."""
    seconds = age(line, now)
    if policy.half_life is not None and policy.half_life > 0:
        recency = float(0.5 ** (seconds / policy.half_life))
    else:
        recency = 1 / (1 + seconds)
    cheapness = 1 / (1 + max(0, line.tokens))
    rest = policy.recency * recency + policy.cheapness * cheapness
    return policy.semantic * _meaning(line, query) + (1 - policy.semantic) * rest


def age(line: Line, now: int) -> float:
    """Seconds since the line was last needed; 0 where a clock was put back."""
    return max(0, now - line.accessed) / 1000


def known(relevance: float | None) -> float | None:
    """A relevance within 0 and 1; ``None`` where it is no finite number."""
    if relevance is None or not isfinite(relevance):
        return None
    return min(1.0, max(0.0, relevance))


def cosine(one: Vector | None, other: Vector | None) -> float | None:
    """-1 to 1; ``None`` where there is none: no or empty vectors, different lengths, a length of
    zero, or anything in them that is not finite."""
    if not one or not other or len(one) != len(other):
        return None
    lengths = hypot(*one), hypot(*other)
    if not all(0 < length < inf for length in lengths):
        return None
    if not all(SMALL < length < LARGE for length in lengths):  # products would vanish or overflow
        one = [part / lengths[0] for part in one]
        other = [part / lengths[1] for part in other]
        lengths = 1.0, 1.0
    near = float(sum(map(mul, one, other))) / lengths[0] / lengths[1]
    return min(1.0, max(-1.0, near))


def relevance(line: Vector | None, task: Vector | None, previous: Vector | None) -> float:
    """How much a line bears on the running task (0.001 to 1), by its vector, the task's, and that
    of the user's message before. What cannot be compared counts as 0.5; what points the other way
    as 0, not as near."""
    near = [cosine(line, task), cosine(line, previous)]
    terms = [UNKNOWN if term is None else max(0.0, term) for term in near]
    return max(LEAST_RELEVANCE, TASK_SHARE * terms[0] + (1 - TASK_SHARE) * terms[1])


def _meaning(line: Line, query: Vector | None) -> float:
    near = cosine(query, line.embedding)
    if near is not None:
        return max(0.0, near)
    judged = known(line.relevance)
    return UNKNOWN if judged is None else judged


def _stale(line: Line, now: int, policy: Policy) -> bool:
    judged = known(line.relevance)
    low = judged is not None and judged < policy.threshold
    return low and not line.supplement and age(line, now) > policy.safe_seconds


def _order(line: Line, worth: float, policy: Policy) -> tuple[bool, float]:
    """By what stage 2 takes: the sort is stable, so of equal ones the first."""
    return policy.protect == "soft" and line.supplement, worth
