"""README's lists of keys and commands are the program's own."""

from __future__ import annotations

from pathlib import Path

from growbox_tui.actions import ACTIONS, Action

README = Path(__file__).parent.parent / "README.md"


def key_table() -> str:
    """Keys as README shows them."""
    rows = [
        f"| {', '.join(f'`{key}`' for key in action.key.split(','))} | {action.words} |"
        for action in ACTIONS
        if action.key
    ]
    return "\n".join(["| key | |", "|---|---|", *rows])


def in_cell(action: Action) -> str:
    """A command and what follows it. A bar would end the cell, even within backticks."""
    return f"{action.command} {action.arguments}".strip().replace("|", r"\|")


def command_table() -> str:
    """Commands as README shows them."""
    rows = [f"| `{in_cell(action)}` | {action.words} |" for action in ACTIONS if action.command]
    return "\n".join(["| command | |", "|---|---|", *rows])


def filled(text: str, name: str, table: str) -> str:
    """README with one of its lists as the program has it."""
    head, foot = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    before, rest = text.split(head)
    return before + head + table + foot + rest.split(foot)[1]


def current() -> str:
    """README as it should stand."""
    text = README.read_text("utf-8")
    return filled(filled(text, "keys", key_table()), "commands", command_table())


def test_readme_lists_every_key_and_command() -> None:
    assert README.read_text("utf-8") == current()


def test_readme_credits_both_originals_with_links() -> None:
    text = README.read_text("utf-8")
    assert "Based on GrowBox" in text
    assert "https://github.com/NightPoetry/GrowBox" in text
    assert "https://github.com/doiito/gliding_horse" in text


def test_the_picture_in_readme_is_there_and_was_rendered_by_the_program() -> None:
    picture = README.parent / ".pictures" / "screen.svg"
    assert "rich-terminal" in picture.read_text("utf-8")


if __name__ == "__main__":
    README.write_text(current(), "utf-8")
