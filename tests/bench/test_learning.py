"""The learning bench: the reader, the reference memories, the stream, and a small run of it all."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from tests.bench import learning
from tests.bench.learning.corpus import Corpus, Question, Turn, load
from tests.bench.learning.figures import harmed, interval, ratio, recall10_delta
from tests.bench.learning.memories import Asked, ExactMemo, IdealMemo, NearestKeys
from tests.bench.learning.mix import Mix
from tests.bench.learning.paraphrase import STRENGTHS
from tests.bench.learning.reader import BUDGET, Answer, Outcome, read
from tests.bench.learning.stream import after, passes, split

TOKENS = [10] * 100
THINGS = (
    "bicycle",
    "piano",
    "garden",
    "lighthouse",
    "violin",
    "kettle",
    "orchard",
    "canoe",
    "harbour",
)
NAMES = ("Anna", "Tom", "Vera", "Karl", "Lena", "Otto", "Ida", "Paul")


def outcome(**given: object) -> Outcome:
    plain = {
        "answered": True, "tokens": 10, "recall10": 1.0, "fired": False, "useless": False,
        "believed": -1, "found": frozenset(), "by_shortcut": False,
    }  # fmt: skip
    return Outcome(**{**plain, **given})  # type: ignore[arg-type]


def test_a_proposal_that_is_enough_ends_the_reading() -> None:
    got = read(Answer((7,), tuple(range(20))), frozenset({7}), TOKENS)
    assert (got.answered, got.tokens, got.by_shortcut) == (True, 10, True)


def test_after_a_useless_proposal_pages_of_five_are_read_in_order_of_rank() -> None:
    got = read(Answer((50,), tuple(range(20))), frozenset({6}), TOKENS)
    assert (got.answered, got.tokens, got.useless) == (True, 110, True)


def test_the_reader_gives_up_after_its_budget() -> None:
    got = read(Answer((), tuple(range(100))), frozenset({BUDGET + 5}), TOKENS)
    assert (got.answered, got.tokens) == (False, BUDGET * 10)


def test_a_blind_memory_is_believed_and_a_liar_believes_what_is_wrong() -> None:
    wrong = Answer((50,), tuple(range(20)))
    assert read(wrong, frozenset({1}), TOKENS, blind=True).believed == 50
    lied = read(wrong, frozenset({1}), TOKENS, lies=1.0, chance=random.Random(1))
    assert (lied.answered, lied.believed, lied.found) == (False, 50, frozenset())
    honest = Answer((1,), tuple(range(20)))
    assert read(honest, frozenset({1}), TOKENS, lies=1.0, chance=random.Random(1)).answered


def asked(text: str, angle: float, *needed: int) -> Asked:
    vector = np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)
    return Asked(text, vector, frozenset(needed))


def test_reference_pointers_propose_what_a_near_question_needed_until_it_misses_twice() -> None:
    memory = NearestKeys()
    memory.learn(asked("a", 0.0, 3), frozenset({3}))
    near, far = asked("b", 0.3, 4), asked("c", 1.5, 4)
    assert memory.propose(near) == (3,)
    assert memory.propose(far) == ()
    for _ in range(2):
        memory.propose(near)
        memory.learn(near, frozenset())
    assert memory.propose(near) == ()


def test_an_exact_memo_knows_the_words_and_an_ideal_one_all_that_was_found() -> None:
    exact, ideal = ExactMemo(), IdealMemo()
    for memory in (exact, ideal):
        memory.learn(asked("Where is it?", 0.0, 3), frozenset({3}))
    assert exact.propose(asked("where is it", 1.0, 3)) == (3,)
    assert exact.propose(asked("Where was it?", 0.0, 3)) == ()
    assert ideal.propose(asked("anything", 1.0, 3)) == (3,)
    assert ideal.propose(asked("anything", 1.0, 3, 4)) == ()


def test_paraphrases_are_the_same_whenever_they_are_asked_and_never_empty() -> None:
    question = "When did Anna visit her friends?"
    for change in STRENGTHS.values():
        assert change(question) == change(question) != question
        assert change("Why?").strip()


def corpus() -> Corpus:
    """Two conversations in which things are put somewhere, and questions for them."""
    turns, questions = [], []
    for number in range(2):
        for at, thing in enumerate(THINGS):
            name = NAMES[(at + 3 * number) % len(NAMES)]
            for words in (f"{name}: I left the {thing} beside row {at}", f"{name}: and so it goes"):
                turns.append(Turn(number, f"{number}/{at // 5}", f"{words}, talk {number}."))
            place = frozenset({len(turns) - 2})
            for ask in ("Where did {} leave the {}?", "Beside which row is {}'s {}?"):
                questions.append(Question(number, ask.format(name, thing), place))
    return Corpus(tuple(turns), tuple(questions))


def test_unseen_questions_need_nothing_that_a_seen_one_needs_and_siblings_just_that() -> None:
    given = corpus()
    made = split(given, 3)
    needed = [question.evidence for question in given.questions]
    touched = frozenset().union(*(needed[number] for number in made.seen))
    assert made.unseen
    assert not any(needed[number] & touched for number in made.unseen)
    assert all(needed[number] <= touched for number in made.sibling)
    assert not set(made.seen) & {*made.sibling, *made.unseen}
    moved = after(touched, made.trades)
    assert moved != touched
    assert len(moved) == len(touched)
    assert made == split(given, 3) != split(given, 4)


def test_nothing_is_learned_from_unseen_questions_and_siblings() -> None:
    made = passes(split(corpus(), 3), 3)
    quiet = {one.name for one in made if not one.learns}
    assert quiet == {"sibling", *(f"unseen after {strength}" for strength in STRENGTHS)}
    assert [one.name for one in made if one.drifted] == ["drift 1", "drift 2", "drift 3"]


def test_the_mix_ranks_the_turn_that_holds_the_words_first() -> None:
    given = corpus()
    texts = [turn.text for turn in given.turns]
    embedder = NgramEmbedder()
    mix = Mix(given.turns, embedder.embed(texts))
    question = given.questions[6]
    (vector,) = embedder.embed([question.text])
    assert mix.ranked(question.text, vector, 5)[0] in question.evidence


def test_figures_pair_each_question_with_the_same_one_without_memory() -> None:
    rows = [
        (outcome(tokens=20), outcome(tokens=100)),
        (outcome(answered=False, recall10=0.0), outcome(recall10=0.5)),
    ]
    assert ratio(rows) == 20.0
    assert harmed(rows) == 50.0
    assert recall10_delta(rows) == -25.0
    low, high = interval([1.0, 2.0, 3.0])
    assert 1.0 <= low < 2.0 < high <= 3.0
    assert interval([5.0] * 4) == (5.0, 5.0)


def locomo(folder: Path) -> Path:
    """The corpus in LoCoMo's format, a conversation of it kept back."""
    given = corpus()
    talks: list[object] = [None]
    for number in range(2):
        conversation: dict[str, object] = {}
        names: dict[int, str] = {}
        for place, turn in enumerate(given.turns):
            if turn.talk == number:
                session = f"session_{1 + int(turn.unit.split('/')[1])}"
                said = conversation.setdefault(session, [])
                assert isinstance(said, list)
                names[place] = f"D{session[8:]}:{len(said) + 1}"
                speaker, text = turn.text.split(": ", 1)
                said.append({"speaker": speaker, "text": text, "dia_id": names[place]})
        rows = [
            {"question": q.text, "category": 1, "evidence": [names[place] for place in q.evidence]}
            for q in given.questions
            if q.talk == number
        ]
        rows.append({"question": "Who?", "category": 5, "evidence": [next(iter(names.values()))]})
        talks.append({"conversation": conversation, "qa": rows})
    (folder / "locomo").mkdir()
    (folder / "locomo" / "locomo10.json").write_text(json.dumps(talks), "utf-8")
    return folder


def test_a_folder_of_this_format_is_read_without_what_has_no_answer(tmp_path: Path) -> None:
    found = load(locomo(tmp_path) / "locomo")
    assert [turn.text for turn in found.turns] == [turn.text for turn in corpus().turns]
    assert [q.evidence for q in found.questions] == [q.evidence for q in corpus().questions]


async def test_the_product_learns_in_the_stream_what_it_proposes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.hyperspace.embedders.choose.choose", NgramEmbedder)
    options = {"data": locomo(tmp_path), "seeds": 1, "talks": None, "short": True, "file": None}
    figures, sound = await asyncio.to_thread(learning.measure, SimpleNamespace(**options))  # type: ignore[arg-type]
    assert sound
    assert figures["turns"] == len(corpus().turns)
    assert float(figures["framed_recall10"]) >= float(figures["none_framed_recall10"])
    assert figures["ideal_reworded_recall10"] == 100.0
    assert {"reworded_tokens_ratio_vs_reference", "sibling_recall10_vs_same"} <= figures.keys()


def test_a_folder_without_the_set_is_no_finding(tmp_path: Path) -> None:
    options = {"data": tmp_path, "seeds": 1, "talks": None, "short": True, "file": None}
    assert learning.measure(SimpleNamespace(**options)) == ({}, False)  # type: ignore[arg-type]
