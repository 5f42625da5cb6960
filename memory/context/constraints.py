"""Constraints: the rules that the user stated, one line each, and how a new one joins them. Pure.

Two rules are merged only where no word of the user's is lost by it: rules that differ in a number,
in a "not", in the order of what they name, or in what each of them alone names are two rules, how
alike they may look. A line too many is harmless; a rule that is gone is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal
from unicodedata import category

from memory.context.passages import fold, stem
from memory.store.signs import cut_chars
from memory.types import Rule, RuleAdded

MOST_RULES = 50
"""More than a model still heeds one by one."""
RULE_CHARS = 200
"""Characters of one rule."""
ALIKE = 0.85
"""From this similarity on two rules say the same."""
HEADING = "Rules that the user stated. Each holds until the user takes it back:"

Similarity = Callable[[str, str], float]
"""How alike two rules are, 0 to 1."""

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W\d_]+(?:['’][^\W\d_]+)?"
)
_NOT = re.compile(
    r"\b(?:not|no|never|none|nor|cannot|\w+n['’]?t|without|avoid|stop|forbid|forbidden|refuse|except"
    r"|unless|instead|rather)\b|不|别|勿|禁|莫|无|没|除|非|停|避免"
)
_FILLING_TEXT = """
    a an the to of for and is are be been it its this that these those i me my you your we us our do
    does did will would can could should must may shall let just so very have has had please pls
    always ensure make sure remember rule
    请 务 必 须 总 是 要 应 该 一 定 律 的 了 吗 呢 吧 啊 着 我 你 您 都
"""
_FILLING = frozenset(_FILLING_TEXT.split())
"""What makes a rule no other rule. Fewer words than say nothing in a question: *before* and *after*
make two rules."""
_FORBIDS = "¬"
_NUMBER_TEXT = "two 二 three 三 four 四 five 五 six 六 seven 七 eight 八 nine 九 ten 十"
_NUMBERS = {word: str(2 + place // 2) for place, word in enumerate(_NUMBER_TEXT.split())} | {
    "两": "2"
}


def add(
    rules: Sequence[Rule],
    number: int,
    text: str,
    source: Literal["stated", "steered"],
    at: int,
    similar: Similarity | None = None,
) -> RuleAdded:
    """What becomes of the rules when the user states one more.

    ``number``: the id it would get. ``at``: milliseconds, UTC. ``similar``: instead of ``alike``.
    A near-duplicate is merged into the older rule, which keeps its id and place, and its words
    unless the new one says all that it says and more. A 51st rule is refused.
    """
    words = one_line(text)
    if not words:
        return RuleAdded("refused", None, tuple(rules), "A rule without words says nothing.")
    if (twin := _twin(rules, words, similar)) is not None:
        fuller = replace(twin, text=words) if _says_more(words, twin.text) else twin
        whole = tuple(fuller if rule is twin else rule for rule in rules)
        return RuleAdded("merged", fuller, whole)
    if len(rules) >= MOST_RULES:
        why = (
            f"There are {MOST_RULES} rules already, and that is the most. "
            "Drop or edit one in /rules first; this one was not taken: "
        )
        return RuleAdded("refused", None, tuple(rules), f"{why}“{words}”")
    rule = Rule(number, words, source, at)
    return RuleAdded("kept", rule, (*rules, rule))


def edit(
    rules: Sequence[Rule], number: int, text: str, similar: Similarity | None = None
) -> RuleAdded:
    """What becomes of the rules when the user rewords the one of this id. Refused without words, or
    if another rule says the same. ``LookupError`` if there is no such rule."""
    own = next((rule for rule in rules if rule.id == number), None)
    if own is None:
        raise LookupError(f"there is no rule {number}")
    words = one_line(text)
    if not words:
        return RuleAdded("refused", None, tuple(rules), "A rule without words says nothing.")
    others = [rule for rule in rules if rule is not own]
    if (twin := _twin(others, words, similar)) is not None:
        why = f"Rule {twin.id} says so already: “{twin.text}”"
        return RuleAdded("refused", None, tuple(rules), why)
    edited = replace(own, text=words)
    return RuleAdded("kept", edited, tuple(edited if rule is own else rule for rule in rules))


def render_rules(rules: Sequence[Rule]) -> str:
    """The constraints block, by id, one line each; empty without rules. Depends on them alone."""
    if not rules:
        return ""
    lines = [
        f"{rule.id}. {one_line(rule.text)}" + (" (added later)" if rule.source == "steered" else "")
        for rule in sorted(rules, key=lambda rule: rule.id)
    ]
    return "\n".join([HEADING, *lines])


def one_line(text: str) -> str:
    """On one line, at most ``RULE_CHARS`` characters, with ``…`` where there were more. Characters
    that only steer a terminal, and halves of one that no encoding holds, count as spaces."""
    shown = (" " if category(sign) in ("Cc", "Cs") else sign for sign in text)
    return cut_chars(" ".join("".join(shown).split()), RULE_CHARS)


def alike(one: str, other: str) -> float:
    """How alike two rules are, 0 to 1, in any script: the cosine of their words or spellings; below
    ``ALIKE`` where each names something that the other does not, or in another order."""
    near = max(
        _cosine(Counter(_names(one)), Counter(_names(other))),
        _cosine(_spelling(one), _spelling(other)),
    )
    names, others = _names(one), _names(other)
    common = set(names) & set(others)
    both_own = bool(set(names) - common) and bool(set(others) - common)
    ordered = [name for name in names if name in common] == [
        name for name in others if name in common
    ]
    return min(near, ALIKE - 0.01) if both_own or not ordered else near


def contradict(one: str, other: str) -> bool:
    """Whether two rules cannot be the same whatever they look like: one forbids and the other does
    not, or their numbers differ."""
    left, right = fold(one), fold(other)
    if bool(_NOT.search(left)) != bool(_NOT.search(right)):
        return True
    return sorted(_numbers(left)) != sorted(_numbers(right))


def _twin(rules: Sequence[Rule], words: str, similar: Similarity | None) -> Rule | None:
    """The rule that says the same; of several the most alike, then the oldest."""
    measure = similar or alike
    found = [
        (measure(rule.text, words), rule) for rule in rules if not contradict(rule.text, words)
    ]
    near = [row for row in found if row[0] >= ALIKE]
    return max(near, key=lambda row: row[0])[1] if near else None


def _says_more(words: str, than: str) -> bool:
    return set(_names(words)) > set(_names(than))


def _names(text: str) -> list[str]:
    """The words that carry meaning, by their stems; of Chinese the characters. All that forbids is
    one sign, so that what it forbids shows in the order."""
    tokens = [_NUMBERS.get(token, token) for token in _TOKEN.findall(fold(text))]
    tokens = [_FORBIDS if _NOT.fullmatch(token) else token for token in tokens]
    named = [token for token in tokens if token not in _FILLING]
    return [stem(token) for token in named or tokens]


def _numbers(folded: str) -> list[str]:
    numbers = (_NUMBERS.get(token, token) for token in _TOKEN.findall(folded))
    return [number for number in numbers if number[0].isdigit()]


def _spelling(text: str) -> Counter[str]:
    """Three letters each, and pairs of Chinese characters."""
    run = f" {' '.join(_TOKEN.findall(fold(text)))} "
    return Counter(run[place : place + 3] for place in range(len(run) - 2))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    dot = sum(count * other[term] for term, count in one.items())
    norms = sum(count * count for count in one.values()) * sum(
        count * count for count in other.values()
    )
    return min(1.0, dot / sqrt(norms)) if norms else 0.0
