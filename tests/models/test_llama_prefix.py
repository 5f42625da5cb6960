"""Prefix files: what is kept, by whom it is read, and what becomes of damaged ones."""

from __future__ import annotations

import asyncio
import os
import stat
import struct
import sys
from pathlib import Path

import pytest

from growbox_tui.models.llama_model import LlamaModel
from growbox_tui.models.llama_prefix import FORGOTTEN_S, NotKept, PrefixFiles, key_of
from growbox_tui.models.protocol import Request
from tests.doubles.calls import Call, asked, made
from tests.doubles.tiny_gguf import tiny

KEY = "0123456789abcdef"
LONG = ("The oak, the elm and the ash stand by the river. " * 60,)


def written(tokens: list[int], *, body: bytes = b"state" * 50) -> bytes:
    head = struct.pack("<III", 0x67677371, 3, len(tokens))
    return head + struct.pack(f"<{len(tokens)}i", *tokens) + body


def save(files: PrefixFiles, tokens: list[int], body: bytes = b"state" * 50) -> None:
    def write(path: Path) -> int:
        return path.write_bytes(written(tokens, body=body))

    assert files.save(tokens, write)


@pytest.fixture
def files(tmp_path: Path) -> PrefixFiles:
    return PrefixFiles(tmp_path / "p", KEY)


def held(files: PrefixFiles) -> list[list[int]]:
    return sorted(list(each.tokens) for each in files.saved())


# ---- the files -----------------------------------------------------------------------------------


def test_what_is_kept_is_found_by_another_process_and_for_the_user_alone(
    files: PrefixFiles, tmp_path: Path
) -> None:
    save(files, [1, 2, 3])

    (found,) = PrefixFiles(tmp_path / "p", KEY).saved()
    assert found.tokens == (1, 2, 3) and files.check(found)
    assert stat.S_IMODE(found.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(found.path.parent.stat().st_mode) == 0o700
    assert list(found.path.parent.iterdir()) == [found.path]


def test_a_prefix_that_goes_on_replaces_the_one_it_continues(files: PrefixFiles) -> None:
    save(files, [1, 2, 3])
    save(files, [1, 9])
    save(files, [1, 2, 3, 4])

    assert held(files) == [[1, 2, 3, 4], [1, 9]]


@pytest.mark.parametrize("cut", [0, 3, 11, 40, -1, -9, -30])
def test_a_torn_file_is_ignored_and_removed(files: PrefixFiles, cut: int) -> None:
    save(files, [1, 2, 3])
    (found,) = files.saved()
    found.path.write_bytes(found.path.read_bytes()[:cut])

    assert held(PrefixFiles(found.path.parent, KEY)) == []
    assert not found.path.exists()
    # Torn since it was looked at.
    assert not files.check(found)


def test_a_bit_that_has_turned_is_found_before_the_file_is_used(files: PrefixFiles) -> None:
    save(files, [1, 2, 3])
    (found,) = files.saved()
    data = bytearray(found.path.read_bytes())
    data[60] ^= 1
    found.path.write_bytes(data)

    assert not files.check(found)
    assert not found.path.exists() and held(files) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"format": 1', b'"format": 2'), (KEY.encode(), KEY[::-1].encode()), (b'"key"', b'"yek"')],
)
def test_a_newer_or_foreign_file_under_our_name_is_removed(
    files: PrefixFiles, old: bytes, new: bytes
) -> None:
    save(files, [1, 2, 3])
    (found,) = files.saved()
    found.path.write_bytes(found.path.read_bytes().replace(old, new))

    assert held(PrefixFiles(found.path.parent, KEY)) == []
    assert not found.path.exists()


def test_files_of_other_models_are_left_alone(files: PrefixFiles, tmp_path: Path) -> None:
    other = PrefixFiles(tmp_path / "p", KEY[::-1])
    save(files, [1, 2, 3])
    save(other, [1, 2, 3, 4])

    assert held(files) == [[1, 2, 3]] and held(other) == [[1, 2, 3, 4]]


def test_the_oldest_go_when_all_together_are_too_large(tmp_path: Path) -> None:
    files = PrefixFiles(tmp_path, KEY, most=4000)
    for token in (1, 2, 3):
        save(files, [token], b"x" * 1000)
        os.utime(next(each.path for each in files.saved() if each.tokens == (token,)), (token,) * 2)
    (first,) = (each for each in files.saved() if each.tokens == (1,))
    files.check(first)  # Used, so that it is the newest.
    save(files, [4], b"x" * 1000)

    assert held(files) == [[1], [3], [4]]


def test_what_was_never_finished_is_cleared_away_in_time(
    files: PrefixFiles, tmp_path: Path
) -> None:
    save(files, [1])
    young, old = tmp_path / "p" / ".a.part", tmp_path / "p" / ".b.part"
    young.touch()
    old.touch()
    long_ago = old.stat().st_mtime - 2 * FORGOTTEN_S
    os.utime(old, (long_ago, long_ago))
    save(files, [2])

    assert young.exists() and not old.exists()


def test_a_file_that_cannot_be_written_says_why_and_leaves_nothing(
    files: PrefixFiles, tmp_path: Path
) -> None:
    with pytest.raises(NotKept, match="could not write"):
        files.save([1], lambda path: 0)
    with pytest.raises(NotKept, match="could not write"):
        files.save([1], lambda path: path.write_bytes(b"less") + 1)
    assert list((tmp_path / "p").iterdir()) == []
    (tmp_path / "f").touch()
    with pytest.raises(NotKept, match=r"exists|Not a directory"):
        PrefixFiles(tmp_path / "f", KEY).save([1], lambda path: 1)


def test_what_is_stopped_is_not_kept(files: PrefixFiles, tmp_path: Path) -> None:
    data = written([1])

    assert not files.save([1], lambda path: path.write_bytes(data), lambda: True)
    assert list((tmp_path / "p").iterdir()) == []


def test_another_model_or_another_build_has_another_key(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    key = key_of(path, "1")

    assert key_of(path, "1") == key != key_of(path, "2")
    os.utime(path, (1, 1))
    assert key_of(path, "1") != key


# ---- with a model --------------------------------------------------------------------------------


def request(*system: str, most: int = 2) -> Request:
    return Request((), system, asked([]).messages, max_output=most)


async def served(path: Path, folder: Path, *system: str, alone: bool = True) -> int:
    """A process that asks once; how many tokens it was spared. Unless it is alone, a file may come
    or go between its forecast and its request."""
    model = LlamaModel(path, takes_tools=False, prefixes=folder)
    found, _ = await made(model, Call("once", request(*system)))
    await model.close()
    assert found.right or not alone
    return found.served or 0


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("weights") / "m.gguf")


async def test_a_new_process_goes_on_from_the_file(weights: Path, tmp_path: Path) -> None:
    assert await served(weights, tmp_path, *LONG) == 0
    assert await served(weights, tmp_path, *LONG) > 600
    # Another conversation under the same standing words.
    assert await served(weights, tmp_path, *LONG, "Be brief.") > 600


async def test_short_prompts_are_not_kept(weights: Path, tmp_path: Path) -> None:
    await served(weights, tmp_path, "Be brief.")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("harm", ["cut", "turn"])
async def test_a_damaged_file_costs_only_its_time(weights: Path, tmp_path: Path, harm: str) -> None:
    await served(weights, tmp_path, *LONG)
    (path,) = tmp_path.iterdir()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data[: len(data) // 2] if harm == "cut" else data)
    model = LlamaModel(weights, takes_tools=False, prefixes=tmp_path)

    found, _ = await made(model, Call("once", request(*LONG)))

    assert found.served == 0 and not path.exists()
    await model.close()
    assert path.exists()  # It is kept anew, under the same name.


async def test_the_prefix_is_kept_behind_the_turn(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("growbox_tui.models.llama_model.IDLE_S", 0.0)
    model = LlamaModel(weights, takes_tools=False, prefixes=tmp_path)
    await made(model, Call("once", request(*LONG)))
    async with asyncio.timeout(30):
        while not list(tmp_path.glob("*.prefix")):
            await asyncio.sleep(0.01)
    await model.close()


async def test_a_longer_prefix_than_may_be_kept_is_kept_in_part(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrefixFiles, "largest", property(lambda self: 60_000))
    await served(weights, tmp_path, *LONG)
    (path,) = tmp_path.iterdir()

    assert path.stat().st_size < 61_000
    assert 256 < await served(weights, tmp_path, *LONG) < 600


async def test_what_comes_from_a_file_gives_the_same_reply(weights: Path, tmp_path: Path) -> None:
    said = []
    for _ in range(2):
        model = LlamaModel(weights, takes_tools=False, prefixes=tmp_path)
        _, words = await made(model, Call("once", request(*LONG, most=12)))
        said.append(words)
        await model.close()

    assert said[0] == said[1]


PROCESS = (
    "import asyncio, sys; from pathlib import Path; "
    "from tests.models.test_llama_prefix import LONG, served; "
    "weights, folder, word = sys.argv[1:]; "
    "print(asyncio.run(served(Path(weights), Path(folder), *LONG, word, alone=False)))"
)


async def test_processes_at_the_same_time_do_not_spoil_each_others_files(
    weights: Path, tmp_path: Path
) -> None:
    async def process(word: str) -> int:
        code = (sys.executable, "-c", PROCESS, str(weights), str(tmp_path), word)
        one = await asyncio.create_subprocess_exec(*code, stdout=asyncio.subprocess.PIPE)
        out, _ = await one.communicate()
        assert one.returncode == 0
        return int(out)

    words = ("a", "a", "b")
    await asyncio.gather(*map(process, words))
    files = list(tmp_path.iterdir())

    assert {path.suffix for path in files} == {".prefix"} and len(files) <= 2
    for word in words[1:]:
        assert await served(weights, tmp_path, *LONG, word) > 600
