"""Reading, writing and editing real files."""

from __future__ import annotations

import asyncio
import os
import stat

import pytest

from executors.protocol import Details, HandError
from tests.executors.conftest import Bench


async def refused(bench: Bench, name: str, **arguments: object) -> str:
    with pytest.raises(HandError) as caught:
        await bench.run(name, **arguments)
    return str(caught.value)


def preview(bench: Bench, name: str, **arguments: object) -> Details:
    return bench.hands.find(name).preview(arguments)


async def test_a_file_is_read_as_it_stands_under_one_line(bench: Bench) -> None:
    (bench.root / "a.py").write_text("x = 1\n\ty\n")
    assert (await bench.run("read_file", path="a.py")).content == "a.py, 2 lines\nx = 1\n\ty\n"


async def test_a_range_is_counted_as_grep_counts(bench: Bench) -> None:
    (bench.root / "a").write_bytes("1\x0c\u2028\n2\x85\n3\n4\n".encode())
    outcome = await bench.run("read_file", path="a", start=2, end=3)
    assert outcome.content == "a, lines 2-3 of 4\n2\x85\n3\n"


async def test_a_long_file_says_how_to_read_on(bench: Bench) -> None:
    (bench.root / "a").write_text("".join(f"{n}\n" for n in range(1, 2501)))
    outcome = await bench.run("read_file", path="a")
    assert outcome.content.endswith("2000\n\n[Read on with start=2001.]")
    rest = await bench.run("read_file", path="a", start=2001)
    assert rest.content.startswith("a, lines 2001-2500 of 2500\n2001\n")


async def test_one_giant_line_is_cut_and_said(bench: Bench) -> None:
    (bench.root / "a").write_text("x" * 60_000)
    assert "[10000 more characters]" in (await bench.run("read_file", path="a")).content


async def test_other_encodings_are_read_and_named(bench: Bench) -> None:
    (bench.root / "a").write_bytes("编译成功\r\n".encode("gbk"))
    outcome = await bench.run("read_file", path="a")
    assert outcome.content == "a, 1 line, gbk, CRLF\n编译成功\n"


async def test_what_is_no_text_file_is_refused_with_what_it_is(bench: Bench) -> None:
    (bench.root / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (bench.root / "d").mkdir()
    os.mkfifo(bench.root / "pipe")
    with open(bench.root / "big", "wb") as file:
        file.truncate(21 * 1024 * 1024)
    assert "PNG image" in await refused(bench, "read_file", path="p.png")
    assert "list_files" in await refused(bench, "read_file", path="d")
    assert "named pipe" in await refused(bench, "read_file", path="pipe")
    assert "more than 20 MB" in await refused(bench, "read_file", path="big")
    assert "device" in await refused(bench, "read_file", path="/dev/null")
    assert "no such file" in await refused(bench, "read_file", path="missing")


async def test_a_range_that_cannot_be_is_refused(bench: Bench) -> None:
    (bench.root / "a").write_text("1\n")
    assert "has 1 lines" in await refused(bench, "read_file", path="a", start=5)
    assert "start counts from 1" in await refused(bench, "read_file", path="a", start=0)


async def test_an_empty_file_can_be_read(bench: Bench) -> None:
    (bench.root / "a").touch()
    assert (await bench.run("read_file", path="a")).content == "a, 0 lines\n"


async def test_writing_makes_folders_and_says_so(bench: Bench) -> None:
    outcome = await bench.run("write_file", path="new/deep/a.py", content="x\n")
    assert (bench.root / "new/deep/a.py").read_text() == "x\n"
    assert outcome.content == "created new/deep/a.py, 1 line"
    assert os.listdir(bench.root / "new/deep") == ["a.py"]


async def test_replacing_keeps_mode_encoding_and_line_ends(bench: Bench) -> None:
    file = bench.root / "run.sh"
    file.write_bytes("标题：旧值，不要删除\r\n".encode("gbk"))
    file.chmod(0o750)
    outcome = await bench.run("write_file", path="run.sh", content="标题：新值\n结束\n")
    assert file.read_bytes() == "标题：新值\r\n结束\r\n".encode("gbk")
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert "kept gbk, kept CRLF" in outcome.content


async def test_a_link_is_written_through(bench: Bench) -> None:
    (bench.root / "real").write_text("a\n")
    (bench.root / "link").symlink_to("real")
    await bench.run("edit_file", path="link", old="a", new="b")
    assert (bench.root / "link").is_symlink()
    assert (bench.root / "real").read_text() == "b\n"


async def test_a_preview_is_the_diff_and_touches_nothing(bench: Bench) -> None:
    (bench.root / "a").write_text("".join(f"{n}\n" for n in range(1, 100)))
    details = preview(bench, "edit_file", path="a", old="50\n", new="fifty\n")
    assert details.summary == "+1 -1"
    assert "@@ -47,7 +47,7 @@" in details.body
    assert "-50\n+fifty\n" in details.body
    assert "fifty" not in (bench.root / "a").read_text()
    assert preview(bench, "write_file", path="b", content="x\n").summary.startswith("new, +1")
    assert not (bench.root / "b").exists()


async def test_a_preview_of_what_would_fail_says_so(bench: Bench) -> None:
    assert preview(bench, "edit_file", path="none", old="a", new="b").summary == "would fail"


async def test_a_file_that_others_changed_is_not_overwritten(bench: Bench) -> None:
    file = bench.root / "a"
    file.write_text("one\n")
    await bench.run("read_file", path="a")
    file.write_text("one\ntwo\n")
    assert "changed on disk" in await refused(bench, "edit_file", path="a", old="one", new="1")
    assert "changed on disk" in await refused(bench, "write_file", path="a", content="")
    await bench.run("read_file", path="a")
    await bench.run("edit_file", path="a", old="one", new="1")
    assert file.read_text() == "1\ntwo\n"


async def test_own_writes_are_known(bench: Bench) -> None:
    await bench.run("write_file", path="a", content="one\n")
    await bench.run("edit_file", path="a", old="one", new="two")
    await bench.run("edit_file", path="a", old="two", new="three")
    assert (bench.root / "a").read_text() == "three\n"


async def test_edits_at_once_on_one_file_all_land(bench: Bench) -> None:
    names = [f"w{n}" for n in range(12)]
    (bench.root / "a").write_text("".join(f"<{name}>\n" for name in names))
    edits = [bench.run("edit_file", path="a", old=f"<{name}>", new=f"[{name}]") for name in names]
    await asyncio.gather(*edits)
    assert (bench.root / "a").read_text() == "".join(f"[{name}]\n" for name in names)


async def test_the_same_miss_twice_sends_the_model_back_to_read(bench: Bench) -> None:
    (bench.root / "a").write_text("x = compute(1)\n")
    first = await refused(bench, "edit_file", path="a", old="x = compute(2)", new="y")
    second = await refused(bench, "edit_file", path="a", old="x = compute(2)", new="y")
    assert "Closest is line 1" in first
    assert "Read the file again" in second


async def test_a_refused_edit_leaves_the_file_untouched(bench: Bench) -> None:
    file = bench.root / "a"
    file.write_text("abc\n")
    before = file.stat().st_mtime_ns
    for old, new in (("abc", "abc"), ("zzz", "y"), ("", "x")):
        await refused(bench, "edit_file", path="a", old=old, new=new)
    assert file.stat().st_mtime_ns == before
    assert os.listdir(bench.root) == ["a"]


async def test_what_an_encoding_lacks_is_never_written(bench: Bench) -> None:
    file = bench.root / "a"
    file.write_bytes("编译成功\n".encode("gbk"))
    assert "gbk" in await refused(bench, "write_file", path="a", content="编译 🚀")
    assert file.read_bytes() == "编译成功\n".encode("gbk")


async def test_a_part_of_the_path_that_is_a_file_is_an_error(bench: Bench) -> None:
    (bench.root / "a").touch()
    assert "could not be written" in await refused(bench, "write_file", path="a/b", content="x")


def test_claims_name_real_paths(bench: Bench) -> None:
    (bench.root / "out").symlink_to("/etc")
    (claim,) = bench.hands.find("write_file").claims({"path": "out/x", "content": ""})
    assert (claim.kind, claim.target, claim.words) == ("write", "/etc/x", "write /etc/x")
    (claim,) = bench.hands.find("read_file").claims({"path": "src/a.py"})
    assert claim.words == "read src/a.py"
