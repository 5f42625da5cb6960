"""The tree of a folder, and what its files hold, with ripgrep and without."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest

from executors import list_files, search_text
from executors.protocol import HandError
from tests.doubles.patience import FOR_EVER
from tests.executors.conftest import Bench


@pytest.fixture(params=["ripgrep", "without"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways must give the same."""
    if request.param == "without":
        for module in (list_files, search_text):
            monkeypatch.setattr(module, "ripgrep", lambda: None)
    return str(request.param)


@pytest.fixture
def tree(bench: Bench) -> Bench:
    for name, text in {
        "README.md": "hello world\n",
        "src/a.py": "import os\nhello = 1\nx = 2\n",
        "src/deep/er/b.py": "nothing\n",
        "src/deep/c.py": "hello()\n",
        ".github/ci.yml": "on: push\n",
        ".git/config": "hello\n",
        ".env": "KEY=hello\n",
    }.items():
        path = bench.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return bench


async def test_a_tree_shows_two_levels_and_counts_below(tree: Bench, either: str) -> None:
    outcome = await tree.run("list_files")
    assert outcome.content == (
        "./, 6 files\n.github/\n  ci.yml\nsrc/\n  deep/ (2)\n  a.py\n.env\nREADME.md"
    )


async def test_depth_and_folder_are_obeyed(tree: Bench, either: str) -> None:
    outcome = await tree.run("list_files", path="src", depth=1)
    assert outcome.content == "src/, 3 files\ndeep/ (2)\na.py"


async def test_ignored_files_are_left_out(tree: Bench) -> None:
    (tree.root / ".gitignore").write_text("deep\n*.md\n")
    assert "deep" not in (await tree.run("list_files")).content
    assert (await tree.run("search_text", pattern="hello")).details.summary == "1 match in 1 file"


async def test_large_folders_are_cut_with_a_count(bench: Bench, either: str) -> None:
    for number in range(520):
        (bench.root / f"f{number:03}").touch()
    content = (await bench.run("list_files")).content
    assert content.startswith("./, 520 files\nf000\n")
    assert content.endswith("f499\n… 20 more entries; list a folder below")


async def test_an_empty_or_missing_folder_says_so(bench: Bench, either: str) -> None:
    assert (await bench.run("list_files")).content == "./, 0 files (none, or all ignored)"
    with pytest.raises(HandError, match="no such"):
        await bench.run("list_files", path="no")
    with pytest.raises(HandError, match="depth"):
        await bench.run("list_files", depth=0)


async def test_names_that_would_move_the_cursor_are_spelled(bench: Bench, either: str) -> None:
    (bench.root / "a\x1b[31m\n").touch()
    (bench.root / os.fsdecode(b"bad\xff")).touch()
    content = (await bench.run("list_files")).content
    assert "a\\u001b[31m\\u000a" in content
    content.encode()


async def test_matches_come_by_path_and_line(tree: Bench, either: str) -> None:
    outcome = await tree.run("search_text", pattern="hello", path="src")
    assert outcome.content == "src/a.py:2:hello = 1\nsrc/deep/c.py:1:hello()"
    assert outcome.details.summary == "2 matches in 2 files"


async def test_secrets_are_not_shown_unless_that_file_is_named(tree: Bench, either: str) -> None:
    content = (await tree.run("search_text", pattern="KEY")).content
    assert content == "No matches.\n[Not shown, may hold secrets: .env]"
    assert (await tree.run("search_text", pattern="KEY", path=".env")).content == ".env:1:KEY=hello"


async def test_glob_and_context_are_obeyed(tree: Bench, either: str) -> None:
    outcome = await tree.run("search_text", pattern="hello", glob="*.md")
    assert outcome.content == "README.md:1:hello world"
    outcome = await tree.run("search_text", pattern="hello =", context=1)
    assert outcome.content == "src/a.py-1-import os\nsrc/a.py:2:hello = 1\nsrc/a.py-3-x = 2"


async def test_nothing_found_is_an_answer(tree: Bench, either: str) -> None:
    outcome = await tree.run("search_text", pattern="zebra")
    assert outcome.content == "No matches."
    assert not outcome.is_error


async def test_a_bad_pattern_is_told(tree: Bench, either: str) -> None:
    with pytest.raises(HandError, match="not understood"):
        await tree.run("search_text", pattern="(")
    with pytest.raises(HandError, match="empty"):
        await tree.run("search_text", pattern="")


async def test_a_pattern_or_file_with_a_dash_is_no_option(bench: Bench, either: str) -> None:
    (bench.root / "-rf").write_text("--files\n")
    outcome = await bench.run("search_text", pattern="--files", path="-rf")
    assert outcome.content == "-rf:1:--files"


async def test_many_matches_and_long_lines_are_cut(bench: Bench, either: str) -> None:
    (bench.root / "a").write_text(("hit" + "x" * 5000 + "\n") * 3000)
    outcome = await bench.run("search_text", pattern="hit")
    rows = outcome.content.split("\n")
    assert rows[-1] == "[Stopped at 200 matches; narrow the search.]"
    assert len(rows) == 201
    assert all(len(row) < 320 for row in rows)


async def test_crlf_lines_match_at_their_end(bench: Bench) -> None:
    (bench.root / "a").write_bytes(b"one\r\ntwo\r\n")
    assert (await bench.run("search_text", pattern="one$")).content == "a:1:one"


async def test_outside_paths_are_shown_whole(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other").resolve()
    (other / "f").write_text("hit\n")
    outcome = await bench.run("search_text", pattern="hit", path=str(other))
    assert outcome.content == f"{Path(other, 'f')}:1:hit"


@pytest.mark.parametrize("hand", ["read_file", "list_files", "search_text"])
async def test_a_pipe_or_device_given_by_name_is_refused_at_once(
    bench: Bench, either: str, hand: str
) -> None:
    os.mkfifo(bench.root / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(bench.root / "socket"))
    more = {"pattern": "x"} if hand == "search_text" else {}
    for path, words in {"pipe": "named pipe", "socket": "socket", "/dev/zero": "device"}.items():
        with pytest.raises(HandError, match=words):
            await asyncio.wait_for(bench.run(hand, path=path, **more), FOR_EVER)


async def test_a_file_is_no_folder_to_list_and_a_missing_path_cannot_be_searched(
    tree: Bench,
) -> None:
    with pytest.raises(HandError, match=r"README.md is a file, not a folder; use read_file"):
        await tree.run("list_files", path="README.md")
    with pytest.raises(HandError, match="no such file or folder"):
        await tree.run("search_text", pattern="x", path="no")


async def test_links_pipes_and_sockets_are_shown_for_what_they_are(
    tree: Bench, either: str
) -> None:
    (tree.root / "latest").symlink_to("src")
    (tree.root / "lost").symlink_to("no\nwhere")
    (tree.root / "src/b.py").symlink_to("../README.md")
    os.mkfifo(tree.root / "pipe")
    (tree.root / "links").mkdir()
    (tree.root / "links/one").symlink_to("x" * 250)
    (tree.root / "empty").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tree.root / "socket"))
    outcome = await tree.run("list_files")
    assert outcome.content == (
        "./, 6 files\n.github/\n  ci.yml\nlinks/\n  one -> " + "x" * 200 + "…\nsrc/\n  deep/ (2)\n"
        "  a.py\n  b.py -> ../README.md\n.env\nREADME.md\nlatest -> src\nlost -> no\\u000awhere\n"
        "pipe (named pipe)\nsocket (socket)"
    )


async def test_a_link_to_its_own_folder_is_not_followed(bench: Bench, either: str) -> None:
    (bench.root / "self").symlink_to(".")
    outcome = await bench.run("list_files", depth=9)
    assert outcome.content == "./, 0 files\nself -> ."


async def test_a_folder_that_is_nothing_but_ignored_files_stays_away(
    bench: Bench,
) -> None:
    (bench.root / ".gitignore").write_text("out\n")
    (bench.root / "out").mkdir()
    (bench.root / "out/a").touch()
    (bench.root / "out/b").symlink_to("a")
    assert (await bench.run("list_files")).content == "./, 1 file\n.gitignore"
