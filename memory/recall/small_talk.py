"""Words of greeting, thanks and assent: a message of nothing else asks memory nothing."""

from __future__ import annotations

_WORDS = """
    hello hi hey hiya yo greetings welcome morning evening afternoon night bye goodbye cheers
    thanks thank thx ty please sorry ok okay k yes yeah yep no nope sure fine good great nice cool
    perfect awesome well done wow haha lol hmm oh ah um alright right there everyone
    你好 您好 早上 上好 下午 午好 晚上 大家 家好 谢谢 多谢 感谢 再见 好的 好啊 行 嗯 对 对的 不错
    很好 太好 好 早 晚安 辛苦 苦了 哈哈 收到
    こん んに にち ちは おは はよ あり りが がと とう
    안녕 녕하 하세 세요 감사 사합 합니 니다
"""

SMALL_TALK = frozenset(_WORDS.split())
"""As terms: folded words, and pairs of Chinese, Japanese and Korean characters."""
