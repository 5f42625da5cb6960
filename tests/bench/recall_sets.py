"""Question sets for the bench ``recall``, read from a folder in the formats they are released in.

``locomo/locomo10.json``, ``cmrc2018_zh/cmrc2018_dev.json``, ``cosqa/``, ``memdaily_zh/0*.json`` and
``beam/TIER/N.chat.json``; what is missing is left out. Each set is one or several corpora, and a
question is asked of its own corpus alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Literal

ADVERSARIAL = 5
"""LoCoMo's questions without an answer."""


@dataclass(frozen=True, slots=True)
class Text:
    """What stands in a memory."""

    words: str
    session: str
    role: Literal["user", "assistant", "tool", "system"] = "user"
    at: int = 0
    """Milliseconds since the epoch, where the set tells when; else 0."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and the texts (by place in the corpus) that answer it."""

    question: str
    right: frozenset[int]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts that stand in one memory, and what is asked of it."""

    name: str
    texts: tuple[Text, ...]
    asks: tuple[Ask, ...]


def locomo(folder: Path) -> Iterator[Corpus]:
    """One corpus a conversation; evidence that names no turn is dropped."""
    talks = json.loads((folder / "locomo10.json").read_text("utf-8"))
    for number, talk in enumerate(talks):
        if talk is None:  # kept back
            continue
        texts: list[Text] = []
        place: dict[str, int] = {}
        for session in range(1, 60):
            day = _moment(talk["conversation"].get(f"session_{session}_date_time", ""))
            for turn in talk["conversation"].get(f"session_{session}") or ():
                place[_turns([turn["dia_id"]])[0]] = len(texts)
                shown = turn.get("blip_caption")
                photo = f" [shares a photo of {shown}]" if shown else ""
                words = f"{turn['speaker']}: {turn['text']}{photo}"
                texts.append(Text(words, f"{number}/{session}", at=day))
        asks = [
            Ask(row["question"], _places(place, row.get("evidence")), str(row["category"]))
            for row in talk["qa"]
            if row["category"] != ADVERSARIAL
        ]
        yield Corpus("locomo", tuple(texts), tuple(ask for ask in asks if ask.right))


def _moment(told: str) -> int:
    """Milliseconds of a moment such as ``1:56 pm on 8 May, 2023``; 0 if it is told otherwise."""
    try:
        moment = datetime.strptime(told, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return 0
    return round(moment.timestamp() * 1_000)


def _turns(evidence: Any) -> list[str]:
    """Turns that evidence names, in spite of slips such as ``D8:6; D9:17`` and ``D30:05``."""
    found = re.findall(r"D:?\s*(\d+)\s*:\s*(\d+)", " ".join(map(str, evidence or ())))
    return [f"{int(session)}:{int(turn)}" for session, turn in found]


def _places(place: dict[str, int], evidence: Any) -> frozenset[int]:
    return frozenset(place[turn] for turn in _turns(evidence) if turn in place)


def cmrc(folder: Path) -> Iterator[Corpus]:
    """Chinese paragraphs, and what is asked on each."""
    rows = json.loads((folder / "cmrc2018_dev.json").read_text("utf-8"))
    asks = [
        Ask(question["query_text"], frozenset({place}))
        for place, row in enumerate(rows)
        for question in row["qas"]
    ]
    texts = (Text(row["context_text"], str(number)) for number, row in enumerate(rows))
    yield Corpus("cmrc", tuple(texts), tuple(asks))


def cosqa(folder: Path) -> Iterator[Corpus]:
    """Web questions and the Python functions that answer them."""
    codes = json.loads((folder / "code_idx_map.txt").read_text("utf-8"))
    ordered = sorted(codes, key=codes.__getitem__)
    place = {codes[code]: number for number, code in enumerate(ordered)}
    rows = json.loads((folder / "cosqa-retrieval-test-500.json").read_text("utf-8"))
    asks = tuple(Ask(row["doc"], frozenset({place[row["retrieval_idx"]]})) for row in rows)
    yield Corpus("cosqa", tuple(Text(code, str(n)) for n, code in enumerate(ordered)), asks)


def memdaily(folder: Path) -> Iterator[Corpus]:
    """What people told of their days in Chinese: events of all trajectories in one corpus, each
    text once; only questions that name their subject."""
    place: dict[str, int] = {}
    sessions: list[str] = []
    asks = []
    for path in sorted(folder.glob("0[123]_*_events.json")):
        for told in json.loads(path.read_text("utf-8")):
            question = told["question_list"][0]
            if "[ERROR" in question["question"] + str(question["answer"]):
                continue
            at = {}
            for message in told["message_list"]:
                if message["message"] not in place:
                    place[message["message"]] = len(sessions)
                    sessions.append(f"{path.stem}/{told['tid']}")
                at[message["mid"]] = place[message["message"]]
            right = frozenset(at[step] for step in question["target_step_id"] if step in at)
            asks.append(Ask(question["question"], right, path.stem[:2]))
    texts = (Text(words, session) for words, session in zip(place, sessions, strict=True))
    yield Corpus("memdaily", tuple(texts), tuple(ask for ask in asks if ask.right))


def beam(folder: Path) -> Iterator[Corpus]:
    """Long chats of a user and an assistant, one corpus a chat."""
    for path in sorted(folder.glob("*/*.chat.json")):
        texts: list[Text] = []
        place: dict[int, int] = {}
        for batch in json.loads(path.read_text("utf-8")):
            for message in chain.from_iterable(batch["turns"]):
                # The generator's own numbering is no speech.
                words = re.sub(r"\s*->->\s*[\w.,\- ]+$", "", message["content"])
                place[message["id"]] = len(texts)
                texts.append(Text(words, str(batch["batch_number"]), message["role"]))
        questions = path.with_name(path.name.replace(".chat.", ".questions."))
        asks = [
            Ask(
                each["question"],
                frozenset(place[n] for n in _numbers(each.get("source_chat_ids")) if n in place),
                kind,
            )
            for kind, listed in json.loads(questions.read_text("utf-8")).items()
            for each in listed
        ]
        name = f"beam_{path.parent.name.lower()}"
        yield Corpus(name, tuple(texts), tuple(ask for ask in asks if ask.right))


def _numbers(value: Any) -> Iterator[int]:
    """The whole numbers in nested lists and tables."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)


def pooled(corpora: list[Corpus]) -> Corpus:
    """All corpora of a set in one memory."""
    texts: list[Text] = []
    asks: list[Ask] = []
    for number, corpus in enumerate(corpora):
        start = len(texts)
        texts += [replace(text, session=f"{number}/{text.session}") for text in corpus.texts]
        asks += [
            replace(ask, right=frozenset(start + place for place in ask.right))
            for ask in corpus.asks
        ]
    return Corpus(f"{corpora[0].name}_pooled", tuple(texts), tuple(asks))


SETS: dict[str, Callable[[Path], Iterator[Corpus]]] = {
    "locomo": locomo,
    "cmrc2018_zh": cmrc,
    "cosqa": cosqa,
    "memdaily_zh": memdaily,
    "beam": beam,
}
"""Folder → its reader."""


def read(data: Path, only: str = "") -> dict[str, list[Corpus]]:
    """Name → corpora of the sets that are there, and LoCoMo's conversations in one memory, too."""
    found: dict[str, list[Corpus]] = {}
    for folder, reader in SETS.items():
        if not (data / folder).is_dir() or (only and folder != only):
            continue
        for corpus in reader(data / folder):
            found.setdefault(corpus.name, []).append(corpus)
    if len(found.get("locomo", ())) > 1:
        found["locomo_pooled"] = [pooled(found["locomo"])]
    return found
