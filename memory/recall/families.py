"""Families: which questions ask the same, so that what was read for one holds for another.

Skipping wrongly loses a memory, skipping too seldom costs a call. So only questions of the same
telling words in the same order are of one family: no vector decides it, since "the port of alpha"
and "the port of beta" are as near to each other as two wordings of one of them. Wordings that
differ more are led by pointers, each of which is confirmed.
"""

from __future__ import annotations

from memory.store import questions
from memory.store.database import Database

_FILLERS = """
    a an the please pls kindly so well hey hi hello ok okay just um uh 请 请问 麻烦 那么
"""
FILLERS = frozenset(_FILLERS.split())
"""Words without which a question asks the same. A question word, a negation, a number or a tense
is none of them."""
POLITE = ("请问", "麻烦问下", "麻烦问一下", "请")
"""How a Chinese question may begin and ask the same ..."""
PARTICLES = "啊呀呢哦哈"
"""... and how it may end."""


def sense(text: str) -> str:
    """The words of a question by which it is of one family with another; never empty unless the
    text is."""
    words = [_bare(word) for word in questions.normalised(text).split()]
    telling = [word for word in words if word and word not in FILLERS]
    return " ".join(telling) or questions.normalised(text)


def _bare(word: str) -> str:
    """A run of Chinese without what is only polite."""
    if word.isascii():
        return word
    for polite in POLITE:
        if word.startswith(polite) and len(word) > len(polite):
            word = word[len(polite) :]
            break
    return word.rstrip(PARTICLES) or word


class Families:
    """The families of the questions on file, by their sense. For one thread; follows what other
    processes write."""

    def __init__(self) -> None:
        self._seen = 0
        self._of: dict[str, int] = {}

    def of(self, db: Database, text: str) -> int:
        """The family that a question belongs to; 0 if none asked the same before."""
        known = questions.same_words(db, text)
        for question in questions.since(db, self._seen):
            self._of.setdefault(sense(question.text), question.family)
            self._seen = question.id
        family = known.family if known is not None else self._of.get(sense(text), 0)
        return family if family and questions.by_ids(db, (family,)) else 0
