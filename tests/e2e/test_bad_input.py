"""Bad input: one clear sentence, what to do, the right exit code; nothing lost."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path

import pytest

from tests.doubles.product import Run
from tests.e2e.conftest import Growbox

AS_ROOT = os.geteuid() == 0
"""Root may write anywhere, so what may not be written has to be made otherwise."""


def assert_told(told: Run, code: int, *words: str) -> None:
    """It ended with this code, said these words on stderr, and showed no traceback."""
    assert told.code == code, told.err
    assert "Traceback" not in told.err
    assert told.out == ""
    assert len(told.err.strip().splitlines()) <= 3
    for word in words:
        assert word in told.err


def test_an_unknown_provider_is_told_with_the_nearest_right_one(growbox: Growbox) -> None:
    assert_told(growbox("-p", "hi", model="opnai/gpt-5"), 2, "opnai", "openai/gpt-5")


def test_a_missing_key_is_told_with_the_variable_to_set(growbox: Growbox) -> None:
    told = growbox("-p", "hi", model="anthropic/claude-x")

    assert_told(told, 2, "ANTHROPIC_API_KEY")


def test_a_refused_connection_is_told_with_its_address(growbox: Growbox) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    told = growbox("-p", "hi", OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1")

    assert told.code == 1
    assert f"127.0.0.1:{port}" in told.err
    assert "Traceback" not in told.err


def test_a_model_that_the_provider_does_not_know_is_told(growbox: Growbox) -> None:
    growbox.provider.play.status = 404
    growbox.provider.play.error = {"error": {"message": "no model fake-model"}}

    told = growbox("-p", "hi")

    assert told.code in (1, 2)
    assert "fake-model" in told.err
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    "content", [b"shopping list\n" * 400, b"\0" * 4096, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_memory_file_that_is_none_is_told_and_left_alone(
    growbox: Growbox, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "list.db"
    file.write_bytes(content)

    told = growbox("--memory", str(file), "-p", "hi")

    assert_told(told, 1, str(file))
    assert file.read_bytes() == content


def test_a_truncated_memory_file_is_told(growbox: Growbox) -> None:
    growbox("-p", "hi")
    whole = growbox.memory.read_bytes()
    growbox.memory.write_bytes(whole[: len(whole) // 3])

    assert_told(growbox("-p", "hi"), 1, str(growbox.memory))


def test_a_memory_file_of_a_newer_growbox_is_told_and_left_alone(growbox: Growbox) -> None:
    growbox("-p", "hi")
    with sqlite3.connect(growbox.memory) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = growbox.memory.read_bytes()

    assert_told(growbox("-p", "hi"), 1, str(growbox.memory), "newer")
    assert growbox.memory.read_bytes() == before


def test_a_database_of_another_program_is_told_and_left_alone(
    growbox: Growbox, tmp_path: Path
) -> None:
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    connection.close()
    before = file.read_bytes()

    assert_told(growbox("--memory", str(file), "-p", "hi"), 1, str(file))
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(growbox: Growbox, tmp_path: Path) -> None:
    blocking = tmp_path / "a-file"
    blocking.write_text("not a folder")

    told = growbox("--memory", str(blocking / "memory.db"), "-p", "hi")

    assert_told(told, 1, str(blocking))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no file system that takes no files")
def test_a_file_system_that_takes_no_files_is_told(growbox: Growbox) -> None:
    assert_told(growbox("--memory", "/proc/growbox/memory.db", "-p", "hi"), 1, "/proc/growbox")


@pytest.mark.skipif(AS_ROOT, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_told(growbox: Growbox, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)

    assert_told(growbox("--memory", str(locked / "memory.db"), "-p", "hi"), 1, str(locked))


@pytest.mark.parametrize("content", [b"not a model", b"", b"GGUF\x03\0\0\0"])
def test_a_gguf_that_is_none_is_told(growbox: Growbox, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(content)

    told = growbox("-p", "hi", model=f"local/{file}")

    assert told.code in (1, 2)
    assert "model.gguf" in told.err
    assert "Traceback" not in told.err


def test_a_gguf_that_is_not_there_is_told(growbox: Growbox, tmp_path: Path) -> None:
    told = growbox("-p", "hi", model=f"local/{tmp_path / 'none.gguf'}")

    assert told.code == 2
    assert "none.gguf" in told.err


def config(growbox: Growbox, text: str) -> Path:
    path = growbox.home / "growbox" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_misspelt_setting_is_told_with_file_line_and_the_nearest_right_one(
    growbox: Growbox,
) -> None:
    path = config(growbox, 'theme = "growbox-dark"\nmodle = "openai/x"\n')

    assert_told(growbox("-p", "hi"), 2, str(path), "line 2", "modle", "model")


def test_a_config_file_that_is_no_toml_is_told_with_its_line(growbox: Growbox) -> None:
    path = config(growbox, 'model = "x"\n\ntheme = \n')

    assert_told(growbox("-p", "hi"), 2, str(path), "line 3")


def test_a_setting_of_the_wrong_kind_is_told(growbox: Growbox) -> None:
    path = config(growbox, "theme = 5\n")

    assert_told(growbox("-p", "hi"), 2, str(path), "line 1", "theme")


def test_no_question_at_all_is_told(growbox: Growbox) -> None:
    assert_told(growbox("-p", "  "), 2, "question")


def test_a_form_of_output_that_there_is_not_is_told(growbox: Growbox) -> None:
    assert_told(growbox("-p", "hi", "--output", "yaml"), 2, "yaml", "json")


def test_a_folder_that_is_not_there_is_told(growbox: Growbox) -> None:
    assert_told(growbox("-C", "nowhere", "-p", "hi"), 2, "nowhere")


def test_a_session_that_is_not_there_is_said(growbox: Growbox) -> None:
    told = growbox("--session", "nosuchsession", "-p", "hi")

    assert "nosuchsession" in told.err or "nothing to resume" in told.err.lower()
    assert "Traceback" not in told.err


def test_nothing_is_lost_when_the_provider_fails(growbox: Growbox) -> None:
    growbox("-p", "Remember the word quince")
    growbox.provider.play.status = 401
    growbox("--resume", "-p", "And the word medlar")
    growbox.provider.play.status = 200

    growbox("--resume", "-p", "Which words?")

    sent = str(growbox.provider.requests[-1]["messages"])
    assert "quince" in sent
    assert "medlar" in sent
