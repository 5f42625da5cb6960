"""What the bytes of a file are taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executors.encoding import candidates, decode, detect, encode
from executors.stream_decode import StreamDecoder

SAMPLES = [
    ("gbk", "编译成功"),
    ("gbk", "# 配置文件\nname = 旧值\n"),
    ("gbk", "错误：无法打开文件"),
    ("cp950", "標題 = 舊"),
    ("cp950", "錯誤：無法開啟檔案"),
    ("cp932", "ファイルが見つかりません"),
    ("cp932", "名前 = 旧"),
    ("cp949", "파일을 찾을 수 없습니다"),
    ("euc_jp", "これは日本語のテストです"),
    ("cp1252", "Müller's naïve café"),
    ("gb18030", "这是中文的文件 😀 结束"),
    ("utf-8", "任意のテキスト 임의의 텍스트"),
]


@pytest.mark.parametrize(("codec", "text"), SAMPLES)
def test_short_texts_are_told_apart(codec: str, text: str) -> None:
    found = detect(text.encode(codec))
    assert found is not None
    assert found.codec == codec


@given(st.binary(max_size=300))
def test_every_candidate_goes_there_and_back_in_size(data: bytes) -> None:
    for encoding in candidates(data):
        assert isinstance(decode(data, encoding), str)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80))
def test_utf8_is_always_utf8(text: str) -> None:
    found = detect(text.encode())
    if found is None:
        assert text.encode().startswith((b"PK", b"GIF", b"%PDF", b"BZh", b"OggS", b"ID3", b"wOF"))
    else:
        assert encode(decode(text.encode(), found), found) == text.encode()


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_marks_are_kept(mark: bytes) -> None:
    codec = "utf-16-le" if mark[0] == 0xFF else "utf-16-be"
    data = mark + "一\r\n二".encode(codec)
    found = detect(data)
    assert found is not None
    assert decode(data, found) == "一\r\n二"
    assert encode("一\r\n二", found) == data


def test_utf16_without_a_mark_is_known_by_its_nuls() -> None:
    found = detect("plain text\r\n".encode("utf-16-le"))
    assert found is not None
    assert found.codec == "utf-16-le"


def test_noise_is_binary() -> None:
    assert detect(bytes(range(1, 32)) * 9 + b"\xff\xfe\xfd") is None
    assert detect(b"\x7fELF\x02\x01") is None


def through(text: bytes, size: int, **options: str) -> str:
    decoder = StreamDecoder(**options)
    pieces = [decoder.feed(text[i : i + size]) for i in range(0, len(text), size)]
    return "".join([*pieces, decoder.finish()])


@pytest.mark.parametrize(("codec", "text"), [row for row in SAMPLES if row[0] != "cp1252"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_output_in_pieces_reads_as_it_does_whole(codec: str, text: str, size: int) -> None:
    assert through(text.encode(codec), size) == text
    assert through(text.encode(codec), size, encoding=codec) == text
    assert through(text.encode(codec), size, fallback=codec) == text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.integers(1, 9))
def test_utf8_output_is_never_torn(text: str, size: int) -> None:
    assert through(text.encode(), size) == text


@given(st.binary(max_size=400), st.integers(1, 9))
def test_no_bytes_break_the_decoder(data: bytes, size: int) -> None:
    assert isinstance(through(data, size), str)


def test_lines_of_two_encodings_are_both_read() -> None:
    mixed = "编译成功\n".encode("gbk") + "编译失败\n".encode() + "完成\n".encode("gbk")
    assert through(mixed, 3) == "编译成功\n编译失败\n完成\n"


def test_utf8_without_a_line_end_is_told_before_the_line_is_whole() -> None:
    decoder = StreamDecoder()
    assert decoder.feed("第一行\n".encode()) == "第一行\n"
    assert decoder.feed("进度".encode() + b"\xe4\xbd") == "进度"
    assert decoder.feed(b"\xa0") == "你"


def test_a_long_line_in_another_encoding_is_not_held_for_ever() -> None:
    text = "编译成功" * 1500
    decoder = StreamDecoder()
    early = decoder.feed(text.encode("gbk")[:9001])
    assert len(early) > 4000
    assert early + decoder.feed(text.encode("gbk")[9001:]) + decoder.finish() == text


def test_a_torn_end_is_shown_as_such() -> None:
    assert through(b"ok \xe4\xbd", 1) == "ok \ufffd"
    assert through("编译成功".encode()[:-1], 2) == "编译成\ufffd"


def test_stray_bytes_in_output_are_shown_as_damage_unless_the_locale_knows_them() -> None:
    assert through(b"caf\xe9 A\xffB\n", 1) == "caf\ufffd A\ufffdB\n"
    assert through(b"caf\xe9\n", 1, fallback="cp1252") == "café\n"
