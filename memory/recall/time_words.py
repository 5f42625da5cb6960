"""The vocabulary of time: English and Chinese, with the commonest Japanese and Korean words."""

from __future__ import annotations

from datetime import timedelta

HOURS: dict[str, tuple[int, int]] = {
    "morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 28),
    "早上": (4, 12), "早晨": (4, 12), "上午": (4, 12), "中午": (11, 14), "下午": (12, 18),
    "傍晚": (17, 20), "晚上": (17, 28), "夜里": (20, 28), "凌晨": (0, 6),
}  # fmt: skip
"""Parts of a day: first hour and the hour after the last; a night runs on past midnight."""

CALENDAR: dict[str, tuple[str, int]] = {
    "yesterday": ("day", -1), "today": ("day", 0), "the day before yesterday": ("day", -2),
    "last night": ("night", -1), "tonight": ("evening", 0), "earlier today": ("day", 0),
    "this morning": ("morning", 0), "this afternoon": ("afternoon", 0),
    "this evening": ("evening", 0), "yesterday's": ("day", -1),
    "last week": ("week", -1), "this week": ("week", 0), "past week": ("week", -1),
    "previous week": ("week", -1), "the week before last": ("week", -2),
    "last month": ("month", -1), "this month": ("month", 0), "previous month": ("month", -1),
    "last year": ("year", -1), "this year": ("year", 0),
    "昨天": ("day", -1), "昨日": ("day", -1), "今天": ("day", 0), "今日": ("day", 0),
    "前天": ("day", -2), "大前天": ("day", -3), "一昨日": ("day", -2),
    "今早": ("morning", 0), "今晨": ("morning", 0), "今晚": ("晚上", 0), "昨晚": ("晚上", -1),
    "今朝": ("morning", 0), "昨夜": ("晚上", -1),
    "上周": ("week", -1), "上个周": ("week", -1), "上星期": ("week", -1), "上个星期": ("week", -1),
    "上礼拜": ("week", -1), "上个礼拜": ("week", -1), "这周": ("week", 0), "本周": ("week", 0),
    "这个星期": ("week", 0), "这星期": ("week", 0), "上上周": ("week", -2),
    "先週": ("week", -1), "今週": ("week", 0), "지난주": ("week", -1), "이번 주": ("week", 0),
    "上个月": ("month", -1), "上月": ("month", -1), "这个月": ("month", 0), "本月": ("month", 0),
    "先月": ("month", -1), "今月": ("month", 0), "지난달": ("month", -1),
    "去年": ("year", -1), "今年": ("year", 0), "前年": ("year", -2),
    "어제": ("day", -1), "오늘": ("day", 0), "그저께": ("day", -2),
}  # fmt: skip
"""A word that names a stretch of the calendar: its unit (or part of a day) and how many steps
from the present one."""

UNITS: dict[str, timedelta] = {
    "minute": timedelta(minutes=1), "minutes": timedelta(minutes=1), "min": timedelta(minutes=1),
    "hour": timedelta(hours=1), "hours": timedelta(hours=1),
    "day": timedelta(days=1), "days": timedelta(days=1),
    "week": timedelta(days=7), "weeks": timedelta(days=7),
    "month": timedelta(days=30), "months": timedelta(days=30),
    "year": timedelta(days=365), "years": timedelta(days=365),
    "分钟": timedelta(minutes=1), "小时": timedelta(hours=1), "个小时": timedelta(hours=1),
    "个钟头": timedelta(hours=1), "天": timedelta(days=1), "周": timedelta(days=7),
    "个星期": timedelta(days=7), "星期": timedelta(days=7), "个礼拜": timedelta(days=7),
    "个月": timedelta(days=30), "年": timedelta(days=365), "日": timedelta(days=1),
}  # fmt: skip

NUMBERS: dict[str, float] = {
    "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "couple of": 2, "three": 3,
    "a few": 3, "few": 3, "several": 4, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "半": 0.5, "几": 3,
}  # fmt: skip

WEEKDAYS: dict[str, int] = {
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5,
    "sunday": 6,
    "周一": 0, "周二": 1, "周三": 2, "周四": 3, "周五": 4, "周六": 5, "周日": 6, "周天": 6,
    "星期一": 0, "星期二": 1, "星期三": 2, "星期四": 3, "星期五": 4, "星期六": 5, "星期日": 6,
    "星期天": 6,
}  # fmt: skip

MONTHS = (
    "jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?",
    "aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?",
)  # fmt: skip
"""Patterns of the twelve names."""

TALK = (
    r"\b(?:we|us|our|i|did|done|been|work(?:ed|ing)|said|told|talk(?:ed|ing)|discuss(?:ed|ing)?"
    r"|changed|decided|fixed|asked|wrote)\b|[做说聊讲改写修干提问]|讨论|我们|咱们|決め|話し|했"
)
"""What makes a question with "today" or "last year" one about what was said and done, and not one
about the weather."""

CONTINUITY = (
    # "Last time", and its kin that speak of an earlier conversation.
    r"\b(?:the\s+)?(?:last|previous|prior)\s+(?:time|session|conversation|chat)\b",
    r"\ba\s+(?:moment|while)\s+ago\b",
    r"\b(?:we|you|i)\s+(?:\w+\s+){0,4}?(?:previously|recently|lately|earlier)\b",
    r"\b(?:we|you|i)\s+(?:\w+\s+){1,4}?before\s*(?:[?.!,;]|$)",
    r"\bearlier\s+(?:we|you|i|conversation|discussion|session)\b|\bas\s+before\s*(?:[?.!,;]|$)",
    # Taking up the thread. "Continue" only opens a message: elsewhere it is a word of a language.
    r"^\W*(?:please\s+|let'?s\s+|ok(?:ay)?,?\s+)*(?:continue|go\s+on|carry\s+on|resume"
    r"|keep\s+going)\b(?!\s+statement)",
    r"\bwhere\s+(?:were|was|are|did)\s+(?:we|i)\b(?:\s+(?:leave|stop)(?:\s+off)?)?",
    r"\b(?:left|leave|stopped)\s+off\b|\bpick\s+(?:it\s+|this\s+)?up\s+(?:again|where)\b",
    # What was done, with nothing else said about when.
    r"\bwhat\s+(?:have|did|were|had)\s+we\s+(?:been\s+)?(?:do|work|change|say|said|discuss|talk"
    r"|decide)\w*",
    r"\bdo\s+you\s+(?:still\s+)?remember\b|\bremember\s+(?:when|what|how)\s+(?:we|i|you)\b",
    r"上一?次|上回|上一个会话|早些时候|还记得",
    # Not 提交之前, "before committing": only where a clause begins, or after who said it.
    r"(?:^|(?<=[\s，,。！？!?；;：:我们你您]))(?:之前|以前|先前)",
    r"(?<=[我们你您])最近|最近(?=我们|你|在[做聊改]|[做聊改]了)",
    r"^\W*(?:请|那|好的?[,，]?\s*)?(?:我们)?(?:继续|接着)",
    r"(?:做|说|聊|讲|改|写|讨论)到(?:哪|什么)",
    r"前回|さっき|続き|先ほど|지난번|아까|계속",
)
"""Patterns of phrases that mean "the conversation before this one"."""
