"""How well recall finds, and how still it is when there is nothing to find.

Reads question sets from a folder (``--data``: ``locomo/``, ``cmrc2018_zh/``, ``cosqa/``; what is
missing is left out), fills a memory file with each set's texts and asks its questions. Recall@10 in
per cent of text alone, vectors alone, both fused, and of the product's own ``recall`` with its
bars; milliseconds a question; and the share of another set's questions that bring nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.hyperspace.embedders.choose import choose
from memory.hyperspace.fusion import fuse
from memory.protocols import Embedder
from memory.recall import by_text, by_vector, ladder
from memory.recollection import Query
from memory.store import nodes, vectors
from memory.store.database import Database, open_database
from memory.types import NewNode
from tests.bench.figures import Figures, as_json, machine, percentile, table

DEPTH = 10
ADVERSARIAL = 5
"""LoCoMo's questions without an answer."""
NOON = 1_750_000_000_000
CMRC_QUESTIONS = 800


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and the texts (by place) that answer it."""

    question: str
    right: frozenset[int]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts that stand in one memory, and what is asked of it."""

    name: str
    texts: list[tuple[str, str]]
    """Session and text."""
    asks: list[Ask]


class FixedClock:
    """A clock that stands."""

    def now(self) -> int:
        """The same moment always."""
        return NOON


def locomo(folder: Path) -> Iterator[Corpus]:
    """One corpus a conversation; evidence that names no turn is dropped."""
    for talk in json.loads((folder / "locomo10.json").read_text("utf-8")):
        if talk is None:
            continue
        texts, place = [], {}
        for number in range(1, 60):
            for turn in talk["conversation"].get(f"session_{number}", ()):
                place[turn["dia_id"]] = len(texts)
                texts.append((str(number), f"{turn['speaker']}: {turn['text']}"))
        asks = [
            Ask(row["question"], frozenset(place[e] for e in row["evidence"] if e in place))
            for row in talk["qa"]
            if row["category"] != ADVERSARIAL
        ]
        yield Corpus("locomo", texts, [ask for ask in asks if ask.right])


def cmrc(folder: Path) -> Iterator[Corpus]:
    """Chinese paragraphs; every fourth question or so, as they come."""
    rows = json.loads((folder / "cmrc2018_dev.json").read_text("utf-8"))
    asks = [
        Ask(question["query_text"], frozenset({place}))
        for place, row in enumerate(rows)
        for question in row["qas"]
    ]
    step = max(1, len(asks) // CMRC_QUESTIONS)
    yield Corpus(
        "cmrc", [(str(n), row["context_text"]) for n, row in enumerate(rows)], asks[::step]
    )


def cosqa(folder: Path) -> Iterator[Corpus]:
    """Web questions and the Python functions that answer them."""
    codes = json.loads((folder / "code_idx_map.txt").read_text("utf-8"))
    ordered = sorted(codes, key=codes.__getitem__)
    place = {codes[code]: n for n, code in enumerate(ordered)}
    rows = json.loads((folder / "cosqa-retrieval-test-500.json").read_text("utf-8"))
    asks = [Ask(row["doc"], frozenset({place[row["retrieval_idx"]]})) for row in rows]
    yield Corpus("cosqa", [(str(n), code) for n, code in enumerate(ordered)], asks)


SETS = {"locomo": locomo, "cmrc2018_zh": cmrc, "cosqa": cosqa}


@dataclass(slots=True)
class Tally:
    """What one set's questions came to."""

    found: dict[str, list[float]]
    ms: list[float]
    quiet: list[bool]


def fill(db: Database, embedder: Embedder, corpus: Corpus) -> dict[int, int]:
    """Store and embed a corpus; the place in it of each stored position."""
    place = {}
    with db.transaction():
        for number, (session, text) in enumerate(corpus.texts):
            new = NewNode("user", text, project="/measured", session=session)
            place[nodes.add(db, new, NOON - 1_000 * (len(corpus.texts) - number)).seq] = number
    space = vectors.space_of(db, embedder.stamp, embedder.dimensions)
    while waiting := vectors.pending(db, space, 256):
        rows = embedder.embed([text for _, text in waiting])
        vectors.put(
            db, space, [(seq, row.tobytes()) for (seq, _), row in zip(waiting, rows, strict=True)]
        )
    return place


def ask_all(
    db: Database,
    embedder: Embedder,
    corpus: Corpus,
    place: dict[int, int],
    foreign: Sequence[str],
    tally: Tally,
) -> None:
    """Ask a corpus its own questions, and some that belong to another one."""
    chance = by_vector.NullDistribution()
    for ask in corpus.asks:
        text = by_text.find(db, ask.question, ladder.CANDIDATES)
        vector = by_vector.find(db, embedder, ask.question, ladder.CANDIDATES, chance)
        rankings = {"text": text.ranking, "vector": vector.ranking if vector else ()}
        lists = {way: [seq for seq, _ in ranking] for way, ranking in rankings.items()}
        lists["fused"] = [seq for seq, _, _ in fuse(rankings, ladder.WAY_WEIGHTS, ladder.FLOORS)]
        query = Query(ask.question, "/measured", limit=DEPTH)
        got = ladder.recall(query, db, embedder, FixedClock(), chance=chance)
        lists["recall"] = [hit.node.seq for hit in got.hits]
        tally.ms.append(got.ms)
        for way, seqs in lists.items():
            hit = ask.right & {place[seq] for seq in seqs[:DEPTH]}
            tally.found.setdefault(way, []).append(len(hit) / len(ask.right))
    for question in foreign:
        got = ladder.recall(Query(question), db, embedder, FixedClock(), chance=chance)
        tally.quiet.append(not got.hits)


def measured(name: str, corpora: list[Corpus], foreign: Sequence[str]) -> dict[str, float | int]:
    """The figures of one set, each named after it."""
    embedder = choose()
    tally = Tally({}, [], [])
    for corpus in corpora:
        with tempfile.TemporaryDirectory() as folder:
            db = open_database(Path(folder) / "memory.db")
            try:
                place = fill(db, embedder, corpus)
                ask_all(db, embedder, corpus, place, foreign, tally)
            finally:
                db.close()
    figures: dict[str, float | int] = {f"{name}_questions": len(tally.ms)}
    for way, shares in tally.found.items():
        figures[f"{name}_{way}_recall10"] = 100 * statistics.fmean(shares)
    figures[f"{name}_ms_p50"] = statistics.median(tally.ms)
    figures[f"{name}_ms_p95"] = percentile(tally.ms, 0.95)
    if tally.quiet:
        figures[f"{name}_foreign_quiet"] = 100 * statistics.fmean(tally.quiet)
    return figures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What this bench asks for."""
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    parser.add_argument("--only", choices=sorted(SETS), help="measure one set")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """All sets that are there; sound when there was one."""
    there = {name: list(read(given.data / name)) for name, read in SETS.items()
             if (given.data / name).is_dir()}  # fmt: skip
    figures: dict[str, float | int] = {}
    for name, corpora in there.items():
        if given.only and name != given.only:
            continue
        others = [ask.question for other in there if other != name for c in there[other][:1]
                  for ask in c.asks[:50]]  # fmt: skip
        figures |= measured(name, corpora, others)
    return figures, bool(figures)


def main(arguments: Sequence[str]) -> int:
    """Run alone: 0, or 1 when the folder holds no set."""
    parser = argparse.ArgumentParser(prog="recall_quality", description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    add_arguments(parser)
    given = parser.parse_args(arguments)
    print(machine(), flush=True)
    figures, sound = measure(given)
    print(table(figures))
    if given.json:
        print(as_json(figures))
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
