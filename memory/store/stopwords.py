"""Words that hold a sentence together and say nothing of what it is about."""

from __future__ import annotations

_ENGLISH_TEXT = """
    a about after again all also am an and any are as at be because been before being both but by
    can could did do does doing done down each else ever few for from further had has have having
    he her here hers him his how i if in into is isn it its just let ll ma may me might mine more
    most must my no nor not now of off on once only or other our ours out over own please re s same
    shall she should so some such t than that the their theirs them then there these they this
    those through to too under until up us ve very was we were what when where which while who whom
    why will with would you your yours
"""

ENGLISH = frozenset(_ENGLISH_TEXT.split())
"""English function words, as they stand after folding (``don't`` is cut to ``don`` and ``t``)."""

_CHINESE_TEXT = """
    的 了 吗 呢 吧 啊 嘛 呀 么 着 是 在 和 与 及 或 就 也 都 很 把 被 让 给 我 你 您 他 她 它 们 这
    那 哪 谁 什么 怎么 如何 为何 多少 几个 一下 一个 可以 是否 请问 有没 没有
"""

CHINESE_FUNCTION = frozenset(_CHINESE_TEXT.split())
"""Chinese characters, and pairs of characters that carry meaning alone, that a question may have
around what it asks about. A pair that touches such a character is a seam between two words."""

JAPANESE_PARTICLES = frozenset("のをはがにでともへや")
"""Hiragana that join words; a pair that touches one is a seam between two words."""
