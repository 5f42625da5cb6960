"""What a text is written in: a script, and prose or code."""

from __future__ import annotations

import re

_LOOKED_AT = 2_000
"""Characters; what stands further on is seldom of another kind."""

_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \S+ import |return\b|if .*:\s*$|for .*:\s*$|else:|elif |try:"
    r"|except|with .*:\s*$|raise |async |await |@\w|#include|const |let |var |function |public "
    r"|private |static |fn |func |package |\$ |>>> |[{}()\[\]]+[;,]?\s*$)"
    r"|[;{]\s*$|\)\s*[:;]\s*$|^\s*[\w.\[\]\"']+\s*[-+*/|]?=\s*\S|^\s*[\w.]+\(.*\)\s*$|=>|->"
)
_CODE_SIGN = re.compile(r"[=;{}$#@]|\w\(|>>>|:\s*$|\b(?:def|import|return|class)\b", re.MULTILINE)
"""Without any of these there is no need to look at each line."""
_DEFINES = re.compile(
    r"^\s*(?:(?:async )?def \w+\s*\(|class \w+\s*[(:{]|(?:export )?(?:async )?function\b.*\("
    r"|(?:pub )?fn \w+|func \(?\w+|(?:public|private|protected|static) .*[{(;]|#include\b"
    r"|from [\w.]+ import |import [\w.{]+.*(?:;|$)|(?:const|let|var) \w+ =)",
    re.MULTILINE,
)
"""A line that only a program has: what is defined at its top may be documented at length below."""
_CODE_SHARE = 0.4


def is_wide(text: str) -> bool:
    """Whether a text is written in Chinese, Japanese or Korean, by its first letters."""
    if text[:200].isascii():
        return False
    letters = [char for char in text[:200] if char.isalpha()]
    return 3 * sum(char >= "\u1100" for char in letters) > len(letters)


def is_code(text: str) -> bool:
    """Whether a text defines something as a program does, or at least two fifths of its first lines
    look like a program's."""
    if not _CODE_SIGN.search(text, 0, _LOOKED_AT):
        return False
    if _DEFINES.search(text, 0, _LOOKED_AT):
        return True
    lines = [line for line in text[:_LOOKED_AT].splitlines() if line.strip()]
    return sum(bool(_CODE_LINE.search(line)) for line in lines) >= max(1, _CODE_SHARE * len(lines))
