"""The bench of recall, on question sets of a few texts in the formats that are released."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import recall
from tests.bench.recall_sets import read


def put(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    turns = ["I keep two hives of bees.", "How lovely!", "It rained all day.", "The tram was late."]
    said = [
        {"speaker": "Anna", "text": text, "dia_id": f"D1:{number}"}
        for number, text in enumerate(turns, 1)
    ]
    talk = {
        "conversation": {"session_1": said, "session_1_date_time": "1:56 pm on 8 May, 2023"},
        "qa": [
            {"question": "Which animals does Anna keep?", "evidence": ["D1:1"], "category": 4},
            {"question": "Who painted it?", "evidence": ["D1:2"], "category": 5},
            {"question": "What was late?", "evidence": ["D:1:4; D9:9"], "category": 2},
        ],
    }
    put(tmp_path / "locomo" / "locomo10.json", [talk, None])
    asked = {"question": "李明周六去了哪里？", "answer": "长城", "target_step_id": [1]}
    told = [{"mid": 0, "message": "我今天很累。"}, {"mid": 1, "message": "李明周六去了长城。"}]
    put(
        tmp_path / "memdaily_zh" / "01_simple_events.json",
        [{"tid": 3, "question_list": [asked], "message_list": told}],
    )
    words = [("user", "My port is 8443 ->-> 1,2"), ("assistant", "Noted.")]
    turn = [{"role": role, "content": text, "id": n} for n, (role, text) in enumerate(words)]
    put(tmp_path / "beam/100K/1.chat.json", [{"batch_number": 1, "turns": [turn]}])
    question = {"question": "Which port do I use?", "source_chat_ids": {"first": [0]}}
    put(tmp_path / "beam/100K/1.questions.json", {"information_extraction": [question]})
    return tmp_path


def test_sets_are_read_as_they_are_released(data: Path) -> None:
    found = read(data)
    assert list(found) == ["locomo", "memdaily", "beam_100k"]
    (talk,), (days,), (chat,) = found.values()
    assert [ask.right for ask in talk.asks] == [{0}, {3}]
    assert talk.texts[0].words == "Anna: I keep two hives of bees."
    assert talk.texts[0].at == 1_683_554_160_000
    assert [ask.right for ask in days.asks] == [{1}]
    assert [text.role for text in chat.texts] == ["user", "assistant"]
    assert chat.texts[0].words == "My port is 8443"
    assert [ask.right for ask in chat.asks] == [{0}]


def test_the_bench_tells_what_recall_and_plain_ways_found(data: Path) -> None:
    given = argparse.Namespace(data=data, only="", no_rows=False)
    figures, sound = recall.measure(given)
    assert sound
    for name in ("locomo", "memdaily", "beam_100k"):
        assert figures[f"{name}_growbox_recall10"] == 100
        assert float(figures[f"{name}_resident_mb"]) > 0
    assert "locomo_z_all_four_ndcg10" in figures


def test_a_folder_without_sets_is_not_sound(tmp_path: Path) -> None:
    given = argparse.Namespace(data=tmp_path, only="", no_rows=True)
    assert recall.measure(given) == ({}, False)
