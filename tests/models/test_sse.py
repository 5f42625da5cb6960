import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.models.sse import EventParser, EventTooLong, ServerEvent


def parse(data: bytes, size: int = 0) -> list[tuple[str, str]]:
    parser = EventParser()
    portions = [data[at : at + size] for at in range(0, len(data), size)] if size else [data]
    events = [event for portion in portions for event in parser.feed(portion)]
    return [(event.kind, event.data) for event in [*events, *parser.close()]]


def test_comments_pings_and_ids_are_no_events():
    data = b": ping\n\nid: 7\nretry: 10\n\nevent: ping\n\ndata: a\nid: 8\n\n"
    assert parse(data) == [("", "a")]


def test_data_lines_of_one_event_are_joined_and_the_kind_is_kept():
    assert parse(b"event: x\ndata: a\ndata:b\n\n") == [("x", "a\nb")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_of_the_standard_ends_a_line(end: bytes):
    assert parse(end.join([b"data: a", b"", b"data: b", b"", b""])) == [("", "a"), ("", "b")]


def test_one_byte_order_mark_is_skipped():
    assert parse(b"\xef\xbb\xbfdata: a\n\n") == [("", "a")]


def test_a_bad_byte_becomes_one_replacement_and_is_told():
    parser = EventParser()
    assert parser.feed(b"data: bad\xffbyte\n\n") == [ServerEvent("", "bad\ufffdbyte")]
    assert parser.damaged


def test_a_last_event_without_its_blank_line_is_still_given():
    assert parse(b"data: a\n\ndata: [DONE]") == [("", "a"), ("", "[DONE]")]


def test_an_endless_event_is_refused_before_it_fills_memory():
    parser = EventParser(limit=1000)
    with pytest.raises(EventTooLong):
        for _ in range(20):
            parser.feed(b"x" * 100)


def test_many_lines_of_one_event_count_together():
    parser = EventParser(limit=1000)
    with pytest.raises(EventTooLong):
        parser.feed(b"data: xxxxxxxxxxxx\n" * 100)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), min_size=1), max_size=5
    ),
    st.integers(1, 7),
)
def test_how_the_bytes_are_cut_changes_nothing(texts: list[str], size: int):
    data = "".join(f"data: {text}\r\n\r\n" for text in texts).encode()
    assert parse(data, size) == [("", text) for text in texts]
