from __future__ import annotations

import pytest

from growbox_tui.agent.words import sentences


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("nobody answered", "start the server"), "nobody answered. Start the server."),
        (("Nobody answered.", ""), "Nobody answered."),
        (("openai/x is gone", "openai/y is there"), "openai/x is gone. openai/y is there."),
        (("It ended", "growbox goes on"), "It ended. growbox goes on."),
        (("", "  "), ""),
        (("没有会话。", "新建一个"), "没有会话。 新建一个."),
    ],
)
def test_parts_become_sentences(parts: tuple[str, ...], words: str) -> None:
    assert sentences(*parts) == words
