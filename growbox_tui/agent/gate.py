"""The gate: one pure function decides whether a call may run.

Inside the workspace reads run alone; writes and commands ask. Reads outside ask. Keys and
credentials outside are never touched, inside they ask. Approvals never widen from one kind to
another: "this session" for edits says nothing about commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from executors.protocol import Claim
from growbox_tui.agent.events import Choice


class Verdict(Enum):
    """What is to be done with a call, in rising order of caution."""

    ALLOW = 0
    ASK = 1
    DENY = 2


@dataclass(frozen=True, slots=True)
class Policy:
    """What the judgement rests on."""

    root: Path
    """The workspace, resolved."""
    secret: Callable[[str], bool]
    """Whether a path holds keys or credentials."""
    session: frozenset[str] = field(default_factory=frozenset)
    """Kinds granted for this session: ``write`` (inside the workspace), ``shell``."""
    commands: frozenset[str] = field(default_factory=frozenset)
    """Exact commands that are always allowed in this workspace."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a whole call."""

    verdict: Verdict
    reason: str = ""
    """For a denial: why, and what to do instead."""
    choices: tuple[Choice, ...] = ()
    """For a question: the answers that can be given."""


_DESTRUCTIVE = re.compile(
    r"""(?xi) (?:^|[\s;&|(`{"'\\/]) (?:
      (?: sudo | doas | su | mkfs\S* | dd | shred | shutdown | reboot | halt | poweroff | mount
        | umount | eval | truncate ) (?=\s|$)
    | rm \s (?: \S+ \s+ )*? -\S*[rf]
    | find \s .* \s -(?: delete | exec | execdir | ok ) \b
    | chmod \s+ (?: -\S+ \s+ )* [0-7]*777
    | ch(?: own | mod ) \s+ -\S*R
    | git \s+ (?: -\S+ \s+ (?: [^-\s]\S* \s+ )? )* (?:
        clean | restore | checkout \s+ (?: -- | \. | -f ) | reset \s .*? --hard
      | stash \s+ (?: drop | clear ) | branch \s+ -D
      | push \s (?: .* \s )?? (?: -\S*f\b | --force\S* | --mirror | --delete | \+\S+ | :\S+ ) )
    | (?: bash | sh | dash | zsh | python[\d.]* | perl | ruby | node ) \s+ -\w*[ce] \b
    ) | \| \s* (?: \S*/ )? (?: bash | sh | dash | zsh | python[\d.]* | perl | ruby | node ) \b"""
)
"""Parts of commands that a session-wide grant does not cover: what they name is destroyed, or what
they run is not to be read off the line. Each such command is asked for on its own. Text alone can
be tricked; the sandbox is what holds."""

_STEERING = frozenset(
    {".git", ".hg", ".svn", ".vscode", ".idea", ".envrc", ".mcp.json", ".github", ".husky"}
    | {"agents.md", "claude.md", "gemini.md", ".pre-commit-config.yaml"}
)
"""Names, in lower case, of what makes other programs (or us) act: edits of them are always asked
for, since a grant for edits is no grant to run."""


def judge(claims: Sequence[Claim], policy: Policy) -> Judgement:
    """The strictest verdict over all claims. A call without claims runs."""
    verdict = Verdict.ALLOW
    for claim in claims:
        found = _judge_one(claim, policy)
        if found is Verdict.DENY:
            return Judgement(
                found,
                f"not allowed: {claim.words}. It holds keys or credentials; ask the user to do it.",
            )
        if found.value > verdict.value:
            verdict = found
    if verdict is Verdict.ASK:
        return Judgement(verdict, choices=choices(claims, policy))
    return Judgement(verdict)


def _judge_one(claim: Claim, policy: Policy) -> Verdict:
    match claim.kind:
        case "read" | "write":
            return _judge_path(claim, policy)
        case "shell":
            if claim.target in policy.commands:
                return Verdict.ALLOW
            granted = "shell" in policy.session and not destructive(claim.target)
            return Verdict.ALLOW if granted else Verdict.ASK
        case "net":
            return Verdict.ASK


def _judge_path(claim: Claim, policy: Policy) -> Verdict:
    inside = is_inside(claim.target, policy.root)
    if policy.secret(claim.target):
        return Verdict.ASK if inside else Verdict.DENY
    if not inside:
        return Verdict.ASK
    if claim.kind == "read":
        return Verdict.ALLOW
    if steers(claim.target, policy.root):
        return Verdict.ASK
    return Verdict.ALLOW if "write" in policy.session else Verdict.ASK


def is_inside(path: str, root: Path) -> bool:
    """Whether a resolved path lies in the workspace."""
    return Path(path).is_relative_to(root)


def steers(path: str, root: Path) -> bool:
    """Whether a path in the workspace is read by programs as what to do."""
    return any(part.casefold() in _STEERING for part in Path(path).relative_to(root).parts)


def destructive(command: str) -> bool:
    """Whether a command line has a part that is asked for even after a session-wide grant."""
    return bool(_DESTRUCTIVE.search(command))


def choices(claims: Sequence[Claim], policy: Policy) -> tuple[Choice, ...]:
    """The answers for a call. A wider answer is offered only where it would cover the call, and
    never for a command that destroys: that is asked for each time."""
    kinds = {claim.kind for claim in claims if _judge_one(claim, policy) is Verdict.ASK}
    offered = [Choice("once", "yes, once")]
    if kinds == {"write"} and all(
        is_inside(claim.target, policy.root) and not steers(claim.target, policy.root)
        for claim in claims
    ):
        offered.append(Choice("session", "yes, all edits in this folder this session"))
    if kinds == {"shell"}:
        command = next(claim.target for claim in claims if claim.kind == "shell")
        if not destructive(command):
            offered.append(Choice("session", "yes, all commands this session"))
            offered.append(Choice("always", "always for this exact command"))
    offered.append(Choice("no", "no, and say why"))
    return tuple(offered)
