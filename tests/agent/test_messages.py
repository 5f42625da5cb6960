from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import (
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    message_from_json,
    message_to_json,
)

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)
parts = st.one_of(
    st.builds(Text, texts),
    st.builds(Thinking, texts, texts, texts),
    st.builds(ToolCall, texts, texts, texts),
    st.builds(ToolResult, texts, texts, st.booleans()),
)
messages = st.builds(
    Message, st.sampled_from(["user", "assistant", "tool"]), st.lists(parts, max_size=5).map(tuple)
)


@given(messages)
def test_a_message_comes_back_from_disk_as_it_was(message: Message) -> None:
    assert message_from_json(message_to_json(message)) == message


@given(messages)
def test_the_same_message_is_always_the_same_bytes(message: Message) -> None:
    again = message_from_json(message_to_json(message))
    assert message_to_json(again) == message_to_json(message)


@pytest.mark.parametrize("text", ['{"role":"user"}', '{"role":"user","parts":[{"kind":"odd"}]}'])
def test_what_is_no_message_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a stored message"):
        message_from_json(text)
