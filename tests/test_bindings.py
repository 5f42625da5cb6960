from __future__ import annotations

from pathlib import Path

import pytest

from executors.workspace import Workspace
from growbox_tui.agent.gate import Policy
from growbox_tui.agent.instructions import LIMIT, instructions
from growbox_tui.bindings import mention_reader


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    root = tmp_path / "orchard"
    root.mkdir()
    workspace = Workspace(root)
    policy = Policy(workspace.root, lambda path: workspace.is_secret(Path(path)))
    return mention_reader(workspace, policy)


def test_a_mentioned_file_is_read_in_whatever_encoding_it_has(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "orchard" / "a.txt").write_bytes("果园里的树".encode("gbk"))
    assert read("a.txt") == "果园里的树"


@pytest.mark.parametrize("name", ["id_rsa", ".env"])
def test_a_mentioned_secret_is_not_read(tmp_path: Path, read, name: str) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "orchard" / name).write_text("KEY=1")
    with pytest.raises(ValueError, match="may hold secrets"):
        read(name)


def test_a_mention_does_not_leave_the_folder_not_even_through_a_link(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "outside.txt").write_text("not yours")
    (tmp_path / "orchard" / "inside.txt").symlink_to(tmp_path / "outside.txt")
    for path in ("../outside.txt", "inside.txt", str(tmp_path / "outside.txt")):
        with pytest.raises(ValueError, match="outside this folder"):
            read(path)


def test_a_mentioned_picture_is_told_to_be_no_text(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "orchard" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with pytest.raises(ValueError, match="not text"):
        read("a.png")


def test_instructions_are_read_from_each_folder_in_order(tmp_path: Path) -> None:
    for name, words in (("one", "use tabs"), ("two", "use spaces")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "AGENTS.md").write_text(words)
    said = instructions([tmp_path / "one", tmp_path / "two"])
    assert said.index("use tabs") < said.index("use spaces")


def test_instructions_are_never_a_link_that_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_text("-----BEGIN KEY-----")
    folder = tmp_path / "orchard"
    folder.mkdir()
    (folder / "AGENTS.md").symlink_to(tmp_path / "id_rsa")
    assert instructions([folder]) == ""


def test_instructions_that_are_cut_or_cannot_be_read_say_so(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("word " * LIMIT)
    said = instructions([tmp_path])
    assert "[cut here: the file goes on]" in said
    assert len(said) < LIMIT + 300
    file.write_bytes(b"\xff\xfe use tabs")
    assert "[not read: it is not UTF-8]" in instructions([tmp_path])


def test_instructions_by_another_name_count_where_there_is_no_agents_md(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("use tabs")
    assert "use tabs" in instructions([tmp_path])
