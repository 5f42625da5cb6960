"""Complaints: whether words begin by saying that the last answer was wrong.

Cautious on purpose: a complaint that is missed can be made with ``/wrong``, one that was made up
keeps memory from what was right. So only the beginning of what the user wrote counts, it must speak
of the answer and not of the code, and a question is none.
"""

from __future__ import annotations

import re

_LOOKED_AT = 400
"""Characters: what begins so says so at once."""

_ENGLISH = re.compile(
    r"""(?xi) ^ (?: (?: no | nope | sorry | hmm+ | well | but | hey ) [,.!;:\s-]+ ){0,2} (?:
      (?: that | this | it ) (?: 's | ’s | \s+ is | \s+ was ) \s+
          (?: (?: just | simply | plain | completely | totally | all | clearly ) \s+ )?
          (?: wrong | incorrect | false | not \s+ (?: right | correct | true | it | what ) )
          (?! \s+ (?: with | in | on | at | only | to | that | if ) \b )
    | (?: that | this | it ) \s? (?: isn|wasn ) ['’] t \s+ (?: right | correct | true | it | what )
          (?! \s+ (?: with | in | on | at | only | to | that | if ) \b )
    | you (?: 're | ’re | \s+ are ) \s+ (?: wrong | mistaken | misremembering )
    | you \s+ (?: got | have | 've \s+ got | remembered ) \s+ (?: that | this | it ) \s+ wrong
    | you \s+ misremember
    | wrong (?: \s+ (?: answer | memory | one ) )? \s* (?: [.!,;] | $ )
    | incorrect \s* (?: [.!,;] | $ )
    | not \s+ what \s+ (?: i | we ) \s+ (?: meant | said | asked | decided | agreed )
    )"""
)
_CHINESE = re.compile(
    r"""(?x) ^ (?: (?: 不 | 不是 | 嗯 | 呃 | 哎 | 喂 | 不好意思 ) [，,。.!！、\s]+ ){0,2} (?:
      (?: 这 | 那 | 这个 | 那个 | 你 (?: 说 | 讲 | 答 | 回答 ) 的? | 答案 )?
          (?: 不对 (?! [称等齐劲应外内照比付] ) | 错了 (?! [\w] )
              | 不正确 | 是错的 | 说错了 | 搞错了 )
    | 你?(?:记|弄|搞|说|答)错了 (?! [\w] )
    | 不是这(?:个|样|回事) (?: [，,。.！!] | $ )
    | 我(?:说|问|指|要)的?不是这(?:个|样)
    )"""
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢么]\s*[。.！!]?\s*$")
_SENTENCE = re.compile(r"[^\n.!?。！？]*[.!?。！？]?")


def complains(text: str) -> bool:
    """Whether the user says first of all that what he was told is wrong."""
    words = text.lstrip()[:_LOOKED_AT]
    first = _SENTENCE.match(words)
    if first is None or _ASKS.search(first[0]):
        return False
    return _ENGLISH.match(words) is not None or _CHINESE.match(words) is not None
