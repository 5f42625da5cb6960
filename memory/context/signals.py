"""Signals: which lines and sentences of a text tell what it comes to. English and Chinese.

Pure, and fast on megabytes: words are looked for in the whole text at once, and only the lines
around them are judged.
"""

from __future__ import annotations

import re

from memory.context.passages import Span, fold

MOST_LINES = 60
"""Lines looked at from an end of a text for one that tells something."""
MOST_HITS = 40
"""Places of one word that are judged: the first and the last so many."""

_ERROR_WORDS = (
    *("error", "fail", "fatal", "exception", "traceback", "panic", "cannot", "could not", "e   "),
    *("denied", "not found", "no such", "undefined", "refused", "segmentation", "npm err!"),
    *("critical", "错误", "失败", "异常", "无法", "找不到", "不存在", "拒绝", "超时", "报错"),
)
"""As they stand in folded text."""
_ERROR = re.compile(
    r"""^\s*E\s{2,}\S
    | \b(?:ERROR|FATAL|CRITICAL|PANIC|FAILED|FAIL)\b(?!\s*[:=]?\s*0\b)
    | (?:^|[\s\])>:])(?:fatal|panic|error|failed)(?:\[\w+\])?:\s
    | \berror\s+(?:TS|E|C|CS|LNK)\d+
    | ^\s*(?:Traceback\s\(|thread\s'[^']*'\spanicked)
    | ^\s*[\w.]*(?:Error|Exception|Interrupt)(?::\s|\s*$)
    | Segmentation\sfault | :\scommand\snot\sfound | No\ssuch\sfile | Permission\sdenied
    | Connection\srefused | [Cc]annot\sfind | npm\sERR! | \bcould\snot\sbe\b
    | (?:错误|异常)[:：] | 失败 | 报错 | 无法 | 找不到 | 不存在 | 拒绝访问 | 超时""",
    re.VERBOSE,
)
_CODE = re.compile(
    r"\s*(?:\d+[:|]?\s+)?(?:except|raise|catch|throw|class|def|if|elif|else|case|return)\b"
)
"""Code that handles errors, with or without a number in front of it."""
_SPECIFIC = re.compile(
    r"\w(?:Error|Exception)\b|\b(?:error|fatal|panic)(?:\[\w+\])?:|^\s*E\s{2,}|[:：]"
)
_NO_ERROR = re.compile(
    r"\b(?:0|no|without|zero)\s+(?:errors?|failed|failures?)\b|(?:没有|无|0\s*个)(?:错误|失败|异常)",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"""^\W*(?:
      (?:process\s)?exit(?:ed)?(?:\swith)?(?:\s(?:code|status))?[:\s]+-?\d+
    | timed\sout\safter | not\sfinished:\s | returned\s.*exit\s(?:code|status)
    | test\sresult: | build\s(?:successful|succeeded|failed|success) | ran\s\d+\stests?\b
    | .*\b\d+\s(?:passed|failed|errors?|warnings?|failures?)\b | 退出码 | 退出状态
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TOTAL = re.compile(r"\d")
_DEFINITION = re.compile(
    r"^\s*(?:@\w|(?:export|pub|public|private|protected|static|async|abstract|final|default)\s|"
    r"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|type|module|namespace|const|"
    r"CREATE\sTABLE)\s+[\w(]|[A-Z_]{3,}\s*=|\#{1,4}\s\S)"
)
_PLACE = re.compile(
    r"(?<![\w.~-])(?:[\w.~-]++/)+[\w.-]|(?<![\w-])[\w-]++\.(?:py|js|ts|tsx|rs|go|c|h|cpp|java|md|toml"
    r"|json|ya?ml|sql|sh|txt)\b|mem://\w|https?://\S"
)
_WORDS = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\d")
_CONCLUSION_TEXT = """
    therefore thus hence because cause reason summary overall conclusion conclude fixed solved done
    resolved passes passed pass works decided turned result results instead remains failed fails
    finally finished completed
    因此 所以 于是 结论 总之 综上 总的来说 原因 因为
    修复 修好 解决 已经 完成 通过 决定 改为 改成 结果 仍然 还没
"""
_DEMAND_TEXT = """
    must should never always please don't dont not need want only sure instead fix add make remove
    why how what can could
    必须 应该 不要 别 请 需要 想要 希望 只能 只要 务必 总是 一律 以后 改成 修 加上
    为什么 怎么 如何 能不能 是否
"""
_CONCLUSIONS, _DEMANDS = frozenset(_CONCLUSION_TEXT.split()), frozenset(_DEMAND_TEXT.split())
_CHINESE_CONCLUSIONS = tuple(word for word in _CONCLUSION_TEXT.split() if not word.isascii())
_CHINESE_DEMANDS = tuple(word for word in _DEMAND_TEXT.split() if not word.isascii())
_LATIN = re.compile(r"[a-z][a-z']+")
_OFFER = re.compile(
    r"\b(?:let\sme\sknow|would\syou\slike|do\syou\swant|shall\si|should\si|feel\sfree|happy\sto|want\sme\sto"
    r"|if\syou(?:'d|\swould)?\s(?:like|want|have|need)|hope\sthis)\b"
    r"|需要我|要不要|请告诉我|如果你(?:想|需要|愿意)|如有(?:问题|需要)|希望这",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKER = re.compile(r"^\s*(?:[-*+•>]|\d{1,3}[.)、]|#{1,6}|\|)\s*")
_ENDING = re.compile(
    r"""(?<=[.!?])\s+(?=\S)|(?<=[.!?]["')\]])\s+(?=\S)|(?<=[。！？；])(?!["”’）])|(?<=[。！？；]["”’）])"""
)
_SHORTHAND = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|approx|[Nn]o|[Ff]ig|Mrs?|Dr)|(?:^|\s)[A-Z]|^\d+)\.$"
)
_RULER = re.compile(r"\s*[=_*#~-]{3,}")


def lowered(text: str) -> str:
    """The text in small letters and exactly as long."""
    low = text.lower()
    return low if len(low) == len(text) else fold(text)


def errors(text: str, folded: str) -> list[Span]:
    """The lines that tell of an error, in the order of the text. ``folded``: the text without
    case, sign for sign. Of a word that stands everywhere only the first and last places count."""
    found: dict[int, int] = {}
    for word in _ERROR_WORDS:
        for place in _ends(folded, word):
            start = text.rfind("\n", 0, place) + 1
            if start not in found:
                end = text.find("\n", place)
                found[start] = len(text) if end < 0 else end
    return [span for span in sorted(found.items()) if is_error(text[slice(*span)])]


def is_error(line: str) -> bool:
    """Whether a line tells of an error. Code that handles one does not."""
    line = line[:500]
    low = line.lower()
    if not any(word in low for word in _ERROR_WORDS) or _CODE.match(line):
        return False
    return _ERROR.search(line) is not None and not _NO_ERROR.search(line)


def is_specific(line: str) -> bool:
    """Whether an error line says what is wrong and not only that something is."""
    return _SPECIFIC.search(line[:500]) is not None


def is_status(line: str) -> bool:
    """Whether a line says how something ended."""
    return _STATUS.search(line[:500]) is not None


def is_definition(line: str) -> bool:
    """Whether a line begins a function, a type, a constant or a section."""
    return _DEFINITION.match(line[:200]) is not None


def names_a_place(line: str) -> bool:
    """Whether a line names a file or an address."""
    return ("/" in line or "." in line) and _PLACE.search(line[:500]) is not None


def is_telling(line: str) -> bool:
    """Whether a line holds more than brackets, blanks, and the headings that tools draw."""
    if _RULER.match(line) and not _TOTAL.search(line):
        return False
    return _WORDS.search(line[:500]) is not None


def concludes(sentence: str) -> bool:
    """Whether a sentence says what something comes to."""
    return _speaks(sentence, _CONCLUSIONS, _CHINESE_CONCLUSIONS)


def demands(sentence: str) -> bool:
    """Whether a sentence asks for something."""
    return _speaks(sentence, _DEMANDS, _CHINESE_DEMANDS)


def _speaks(sentence: str, words: frozenset[str], chinese: tuple[str, ...]) -> bool:
    if not words.isdisjoint(_LATIN.findall(sentence.lower())):
        return True
    return not sentence.isascii() and any(word in sentence for word in chinese)


def offers(sentence: str) -> bool:
    """Whether a sentence only offers to go on."""
    return _OFFER.search(sentence) is not None


def without_code(text: str) -> str:
    """Markdown without its fenced blocks."""
    return _FENCE.sub("\n\n", text) if "```" in text or "~~~" in text else text


def sentences(text: str) -> list[str]:
    """The sentences of prose, each on one line and without list marks. A list's items, headings and
    paragraphs end one; a line end within a paragraph does not."""
    found: list[str] = []
    for paragraph in _paragraphs(text):
        whole = ""
        for piece in _ENDING.split(paragraph):
            whole = f"{whole} {piece}" if whole else piece
            if not _SHORTHAND.search(whole):
                found.append(whole)
                whole = ""
        found += [whole] if whole else []
    return [stripped for sentence in found if (stripped := sentence.strip())]


def _paragraphs(text: str) -> list[str]:
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        marked = _MARKER.match(line)
        if marked or not line.strip():
            paragraphs.append([])
        words = " ".join((line[marked.end() :] if marked else line).split())
        if words:
            paragraphs[-1].append(words)
        if marked and "#" in marked[0]:
            paragraphs.append([])
    return [" ".join(lines) for lines in paragraphs if lines]


def _ends(folded: str, word: str) -> list[int]:
    """The first and the last places of a word."""
    first: list[int] = []
    place = -1
    while len(first) < MOST_HITS and (place := folded.find(word, place + 1)) >= 0:
        first.append(place)
    last: list[int] = []
    if len(first) == MOST_HITS:
        place = len(folded)
        while len(last) < MOST_HITS and (place := folded.rfind(word, first[-1] + 1, place)) >= 0:
            last.append(place)
    return first + last
