"""What judges are good for: LoCoMo's questions with their evidence and with other turns.

The judge is calibrated as the product does it, on a memory of the first conversation (halves of
texts, then with confirmed questions), and then asked about what it has not seen: questions of the
last conversation with their evidence, with turns near it, and with turns drawn at large.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

from memory import Memory
from memory.protocols import Judge, Scorer
from memory.recall.judge_calibration import Answer, Calibration, by_bars
from memory.recollection import Candidate, Query
from memory.types import NewNode
from tests.bench.figures import Figure, Figures
from tests.bench.recall_sets import Corpus, locomo

DATA = Path(__file__).resolve().parents[3] / "shared" / "cases"
Heard = tuple[str, Answer]
NEAR = 2
"""Wrong turns near a question that a judge is asked about with it; and as many at large."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the data is, how many questions, and which judge."""
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds locomo/")
    parser.add_argument("--questions", type=int, default=24, help="how many are judged")
    parser.add_argument("--pairs", type=int, default=24, help="related pairs of the calibration")
    parser.add_argument("--judge", default="", help="a model's name; empty is the bundled one")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """Per kind of pair: shares of yes, no and unknown; precision at the product's bars."""
    corpora = list(locomo(given.data / "locomo"))
    return asyncio.run(_measured(corpora, given)), True


async def _measured(corpora: list[Corpus], given: argparse.Namespace) -> Figures:
    from growbox_tui.models.factory import open_model
    from growbox_tui.models.judges.choose import judge_of

    judge = judge_of(given.judge, lambda name: open_model(name, os.environ))
    known, held = corpora[:1], corpora[-1]
    figures: dict[str, Figure] = {}
    heard = [each async for each in _asked(judge, held, given.questions)]
    with tempfile.TemporaryDirectory() as folder:
        for origin in ("halves", "confirmed"):
            memory = await Memory.open(Path(folder) / f"{origin}.db")
            await _fill(memory, known, confirmed=2 * given.pairs if origin == "confirmed" else 0)
            found = await memory.calibrate(judge, given.pairs)
            await memory.close()
            figures |= _told(origin, found) | _shares(origin, _answered(heard, found))
    await judge.close()
    return figures


def _answered(heard: list[tuple[str, Answer | float]], found: Calibration) -> list[Heard]:
    """Scores by the bars that were found."""
    return [
        (kind, by_bars(said, found.bars) if isinstance(said, float) else said)
        for kind, said in heard
    ]


async def _fill(memory: Memory, corpora: Iterable[Corpus], confirmed: int) -> None:
    for corpus in corpora:
        nodes = [await memory.remember(NewNode("user", text.words)) for text in corpus.texts]
        for ask in corpus.asks[:confirmed]:
            seen = await memory.recall(Query(ask.question))
            await memory.confirm(seen.id, [nodes[place].id for place in sorted(ask.right)[:1]])
            confirmed -= 1


async def _asked(
    judge: Judge | Scorer, held: Corpus, many: int
) -> AsyncIterator[tuple[str, Answer | float]]:
    """(kind, answer or score) for questions of a conversation that was not calibrated on."""
    draw = random.Random(4)
    for ask in draw.sample(held.asks, min(many, len(held.asks))):
        words = {word.casefold() for word in ask.question.split() if len(word) > 3}
        others = [place for place in range(len(held.texts)) if place not in ask.right]
        near = sorted(
            others,
            key=lambda place: -sum(word in held.texts[place].words.casefold() for word in words),
        )[:NEAR]
        kinds = dict.fromkeys(ask.right, "evidence") | dict.fromkeys(near, "near")
        kinds |= dict.fromkeys(draw.sample(others, NEAR), "far")
        texts = [held.texts[place].words for place in kinds]
        if isinstance(judge, Scorer):
            said: Sequence[Answer | float] = await judge.scores(ask.question, texts)
        else:
            named = [Candidate(f"m{number}", text) for number, text in enumerate(texts)]
            answers = (await judge.judge(ask.question, named)).answers
            said = [answers.get(each.id, "unknown") for each in named]
        for kind, answer in zip(kinds.values(), said, strict=True):
            yield kind, answer


def _told(origin: str, found: Calibration) -> dict[str, Figure]:
    return {
        f"{origin}_able": int(found.able),
        f"{origin}_related": found.related,
        f"{origin}_unrelated": found.unrelated,
        f"{origin}_right_yes": found.right_yes,
        f"{origin}_wrong_no": found.wrong_no,
        f"{origin}_wrong_yes": found.wrong_yes,
        f"{origin}_right_no": found.right_no,
    }


def _shares(origin: str, answered: list[Heard]) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for kind in ("evidence", "near", "far"):
        said = [answer for of, answer in answered if of == kind]
        for answer in ("yes", "no", "unknown"):
            share = 100 * said.count(answer) / max(1, len(said))
            figures[f"{origin}_{kind}_{answer}"] = round(share, 1)
    yes = [kind for kind, answer in answered if answer == "yes"]
    no = [kind for kind, answer in answered if answer == "no"]
    figures[f"{origin}_yes_precision"] = round(100 * yes.count("evidence") / max(1, len(yes)), 1)
    figures[f"{origin}_no_precision"] = round(
        100 * (len(no) - no.count("evidence")) / max(1, len(no)), 1
    )
    return figures
