"""Model families: what a model's name says of its maker and generation."""

from __future__ import annotations

import re
from typing import NamedTuple

_GPT = re.compile(r"(?:^|[/.])gpt-(\d{1,2})(?:\.(\d{1,2}))?(?![\d.]|o)")
_CLAUDE = re.compile(
    r"claude-(?:(?P<kind>[a-z]+)-)?(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d)"
)
_BINDS_THINKING = {"fable": (5, 1), "opus": (5, 5), "sonnet": (5, 5)}
"""The first versions of a line that refuse thinking whose prefix has changed."""


class Claude(NamedTuple):
    """One of Anthropic's models."""

    kind: str
    """``opus``, ``sonnet``, …; empty in the oldest names, which end with it."""
    version: tuple[int, int]


def upstream(name: str) -> tuple[str, str]:
    """(provider, the provider's own name for the model), both lower-case, of ``provider/name``."""
    provider, _, model = name.lower().partition("/")
    return provider, model


def gpt_version(name: str) -> tuple[int, int] | None:
    """The generation of one of OpenAI's models; ``None`` for others and for the open ones."""
    found = _GPT.search(name.lower())
    return (int(found[1]), int(found[2] or 0)) if found else None


def claude(name: str) -> Claude | None:
    """Which of Anthropic's models a name means, under whatever provider; ``None`` for others."""
    found = _CLAUDE.search(name.lower())
    if found is None:
        return None
    return Claude(found["kind"] or "", (int(found["major"]), int(found["minor"] or 0)))


def binds_thinking(name: str) -> bool:
    """Whether a model refuses its thinking back where anything before it has changed."""
    model = claude(name)
    return model is not None and model.version >= _BINDS_THINKING.get(model.kind, (1000, 0))


def is_qwen(name: str) -> bool:
    """Whether it is one of Alibaba's own models."""
    return bool(re.search(r"(?:^|/)(?:qwen|qwq)", name.lower()))
