from __future__ import annotations

import pytest

from growbox_tui.agent.mentions import as_block, attach, mentioned


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("What is this project? @README.md", ("README.md",)),
        ("看 @src/主.py，还有 @b.py。", ("src/主.py", "b.py")),
        ('see @"my file.txt" please', ("my file.txt",)),
        ("mail ann@example.org", ()),
        ("@a.py and @a.py", ("a.py",)),
        ("ends a sentence with @a.py.", ("a.py",)),
        ("(@a.py)", ("a.py",)),
        ("@", ()),
        ("a decorator @@x", ()),
    ],
)
def test_which_paths_are_mentioned(text: str, paths: tuple[str, ...]) -> None:
    assert mentioned(text) == paths


def test_a_mentioned_file_is_attached_whole() -> None:
    (file,) = attach("@a.py", {"a.py": "x = 1\n"}.__getitem__, 100)
    assert as_block(file) == '<file path="a.py">\nx = 1\n\n</file>'


def test_a_file_that_cannot_be_read_is_told_and_the_rest_attached() -> None:
    def read(path: str) -> str:
        if path == "gone.py":
            raise FileNotFoundError("no such file: gone.py")
        return "fine"

    gone, there = attach("@gone.py @b.py", read, 100)
    assert gone.problem == "no such file: gone.py"
    assert there.text == "fine"


def test_what_is_over_the_limit_is_cut_and_says_how_to_get_the_rest() -> None:
    first, second = attach("@a @b", lambda path: "z" * 80, 100)
    assert first.text == "z" * 80
    assert second.text.startswith("z" * 20 + "\n[… 60 more characters")
