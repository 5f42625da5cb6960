"""What a question says about when: "yesterday", 上周 or "last time" as a stretch of time.

Pure: now and the zone are given. Days begin at local midnight, weeks on Monday.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from .time_words import CALENDAR, CONTINUITY, HOURS, MONTHS, NUMBERS, TALK, UNITS, WEEKDAYS

Span = tuple[datetime, datetime]
"""Local wall-clock times without zone: from the first, up to but not including the second."""


@dataclass(frozen=True, slots=True)
class TimeAsked:
    """The time that a question speaks of."""

    phrase: str
    """The words that said it, as they stand in the question."""
    rest: str
    """The question without them: what it asks about, maybe nothing."""
    span: tuple[int, int] | None
    """Milliseconds since the epoch, UTC, the end excluded; ``None`` for "last time", which means
    the conversation before this one, whenever that was."""


def time_asked(text: str, now: int, zone: tzinfo | None = None) -> TimeAsked | None:
    """The first phrase about time in a question, or ``None``.

    ``now``: milliseconds since the epoch, UTC. ``zone``: where the asker's days begin; ``None`` is
    this machine's zone. A phrase that names no real date (31 February) is not one.
    """
    text = text[:_MAX_CHARS]
    today = datetime.fromtimestamp(now / 1000, UTC).astimezone(zone).replace(tzinfo=None)
    for pattern, resolve in _SPANS:
        for match in pattern.finditer(text):
            span = resolve(match, today)
            if span is not None:
                return TimeAsked(match[0].strip(), _without(text, match), _utc(span, zone))
    for pattern in _CONTINUITY:
        found = pattern.search(text)
        if found:
            return TimeAsked(found[0].strip(), _without(text, found), None)
    return None


_MAX_CHARS = 2_000
"""A longer text is a pasted document; only its beginning can be a question about time."""


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}".strip()


def _utc(span: Span, zone: tzinfo | None) -> tuple[int, int]:
    """Naive times are read in the zone, or in the machine's, whose clock changes they follow."""
    first, last = (round(moment.replace(tzinfo=zone).timestamp() * 1000) for moment in span)
    return first, last


def _day(day: date, days: int = 1) -> Span:
    start = datetime.combine(day, time())
    return start, start + timedelta(days=days)


def _months(year: int, month: int, count: int = 1) -> Span:
    """``count`` months from this one on; a month below 1 or above 12 rolls the year over."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + count
    return datetime(first // 12, first % 12 + 1, 1), datetime(last // 12, last % 12 + 1, 1)


def _calendar(match: re.Match[str], now: datetime) -> Span | None:
    """Yesterday, this morning, last week, 上个月: a fixed step from today. What is still running
    (today, this week), and whole years, count only where something was said or done."""
    unit, step = CALENDAR[_squeezed(match["word"])]
    today = now.date()
    part = match.groupdict().get("part") or (unit if unit in HOURS else None)
    rest = _without(match.string, match)
    if (step == 0 or unit == "year") and not part and rest and not _TALK.search(rest):
        return None
    if unit == "week":
        return _day(today - timedelta(days=today.weekday() - 7 * step), 7)
    if unit == "month":
        return _months(now.year, now.month + step)
    if unit == "year":
        return _months(now.year + step, 1, 12)
    start, end = _day(today + timedelta(days=step))
    if not part:
        return start, end
    first, last = HOURS[_squeezed(part)]
    return start + timedelta(hours=first), start + timedelta(hours=last)


def _ago(match: re.Match[str], now: datetime) -> Span | None:
    """Three days ago, 两小时前: around then, as wide as the unit is coarse."""
    count, unit = _number(match["count"]), UNITS[_squeezed(match["unit"])]
    if count is None or count * unit > _LONGEST_AGO:
        return None
    then = now - unit * count
    if unit < timedelta(days=1):
        return then - unit / 2, min(then + unit / 2, now + timedelta(milliseconds=1))
    if unit == timedelta(days=1):
        return _day(then.date())
    start, _ = _day(then.date())
    return start - unit / 2, start + unit / 2 + timedelta(days=1)


def _past(match: re.Match[str], now: datetime) -> Span | None:
    """In the last three days, 最近两周: from then until now."""
    count, unit = _number(match["count"] or "1"), UNITS[_squeezed(match["unit"])]
    if count is None or count * unit > _LONGEST_AGO:
        return None
    return now - unit * count, now + timedelta(milliseconds=1)


_LONGEST_AGO = timedelta(days=365 * 30)


def _weekday(match: re.Match[str], now: datetime) -> Span | None:
    """On Monday, last Friday, 周三: the nearest such day that is over."""
    days_back = (now.weekday() - WEEKDAYS[_squeezed(match["weekday"])]) % 7 or 7
    return _day(now.date() - timedelta(days=days_back))


def _weekday_of_last_week(match: re.Match[str], now: datetime) -> Span | None:
    """上周三: of the week before this one, unlike the English "last Wednesday"."""
    weekday = WEEKDAYS["周" + match["day"]]
    return _day(now.date() - timedelta(days=now.weekday() + 7 - weekday))


def _just_now(match: re.Match[str], now: datetime) -> Span | None:
    """Just now, 刚才: the last hours."""
    return now - timedelta(hours=3), now + timedelta(milliseconds=1)


def _date(match: re.Match[str], now: datetime) -> Span | None:
    """3 May, May 3rd 2025, 2025-05-03, 5月3日: without a year, the last one that is not ahead."""
    groups = match.groupdict()
    month = _month(groups["name"]) if groups.get("name") else int(groups["month"])
    day = int(groups["day"])
    for year in [int(groups["year"])] if groups.get("year") else [now.year, now.year - 1]:
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if groups.get("year") or found <= now.date():
            return _day(found)
    return None


def _month(name: str) -> int:
    """1 to 12; all names differ in their first three letters."""
    return next(n for n, known in enumerate(MONTHS, 1) if known[:3] == name[:3].lower())


def _number(word: str) -> float | None:
    word = _squeezed(word)
    return int(word) if word.isdigit() else NUMBERS.get(word)


def _squeezed(words: str) -> str:
    return " ".join(words.casefold().split())


def _alternatives(words: object) -> str:
    """Longest first, so that 上个星期 is not read as 上个; a space may be any run of blanks."""
    assert isinstance(words, (dict, frozenset))
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(
        (rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)).replace(r"\ ", r"\s+")
        for word in ordered
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_COUNT = rf"(?P<count>(?<!\d)\d{{1,3}}|{_alternatives(NUMBERS)})"
_UNIT = rf"(?P<unit>{_alternatives(UNITS)})"
_PART = rf"(?:\s*(?:的\s*)?(?P<part>{_alternatives(HOURS)}))?"
_MONTH = rf"(?P<name>\b(?:{'|'.join(MONTHS)})\b)\.?"
_WEEKDAY = rf"(?P<weekday>{_alternatives(WEEKDAYS)})"

_SPANS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span | None]], ...] = (
    (_compiled(r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"), _date),
    (
        _compiled(
            r"(?:(?P<year>\d{4})\s*年\s*)?(?<!\d)(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]"
        ),
        _date,
    ),
    (
        _compiled(
            rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(?P<year>\d{{4}}))?"
        ),
        _date,
    ),
    (
        _compiled(rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<year>\d{{4}}))?"),
        _date,
    ),
    (_compiled(rf"{_COUNT}\s*{_UNIT}\s*(?:\bago\b|之前|以前|前)"), _ago),
    (
        _compiled(rf"\b(?:in|over|during|within)\s+the\s+(?:last|past)\s+(?:{_COUNT}\s+)?{_UNIT}"),
        _past,
    ),
    (_compiled(rf"(?:最近|过去|近)\s*{_COUNT}\s*{_UNIT}"), _past),
    (_compiled(r"上个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])"), _weekday_of_last_week),
    (_compiled(rf"\b(?:on|last|this past|since)\s+{_WEEKDAY}"), _weekday),
    (_compiled(rf"(?<![上下每]){_WEEKDAY}(?=\S*[做说改聊讲写修讨])"), _weekday),
    (_compiled(rf"(?P<word>{_alternatives(CALENDAR)}){_PART}"), _calendar),
    (_compiled(r"\bjust\s+now\b|刚才|刚刚"), _just_now),
)
_TALK = _compiled(TALK)
_CONTINUITY = tuple(_compiled(pattern) for pattern in CONTINUITY)
