"""A small repository, a home without anything in it, and the installed command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.product import MODEL, Run, run, world
from tests.doubles.provider import Block, Provider

README = "# orchard\nA small project that prunes apple trees.\n"


@dataclass(slots=True)
class Growbox:
    """The installed command in a world of its own."""

    project: Path
    home: Path
    provider: Provider

    @property
    def memory(self) -> Path:
        """The memory file, where it lies without ``--memory``."""
        return self.home / "growbox" / "memory.db"

    @property
    def env(self) -> dict[str, str]:
        """Its environment, with the loopback provider's address and a key."""
        return world(self.home, self.provider.url)

    def __call__(
        self, *arguments: str, stdin: str = "", model: str = MODEL, **variables: str
    ) -> Run:
        """Run it to its end; ``model=""`` names none."""
        chosen = ["--model", model] if model else []
        env = self.env | variables
        return run([*chosen, *arguments], env=env, cwd=self.project, stdin=stdin)

    def events(self, *arguments: str, **more: Any) -> list[dict[str, Any]]:
        """Its events, as ``--output json`` tells them."""
        told = self("--output", "json", *arguments, **more)
        return [json.loads(line) for line in told.out.splitlines()]


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider([Block("It prunes apple trees.")], report_cache=True) as running:
        yield running


@pytest.fixture
def growbox(tmp_path: Path, provider: Provider) -> Growbox:
    project = tmp_path / "orchard"
    project.mkdir()
    (project / "README.md").write_text(README)
    return Growbox(project, tmp_path / "home", provider)


@pytest.fixture
def plays(provider: Provider) -> Callable[..., None]:
    """Give the provider another script."""

    def play(*script: Block) -> None:
        provider.play.script = script
        provider.play.block = 0

    return play
