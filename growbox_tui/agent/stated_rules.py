"""Stated rules: sentences in which the user plainly says how things are to be done from now on.

Conservative on purpose: a rule that is missed can be added with ``/rules add``, one that was made
up would stand in every prompt. So a sentence counts only if it begins like an order that has no
end ("always run …", "from now on …", "以后都…"), and never if it asks, quotes, or is code.
"""

from __future__ import annotations

import re

LONGEST = 300
"""Characters of a sentence; a longer one is a story and no rule."""

_VERBS = r"""
    add | answer | apply | approve | ask | assume | avoid | backup | be | begin | build | bump |
    cache | call | catch | change | check | clean | close | comment | commit | compile | confirm
    | consider | copy | create | cut | debug | declare | delete | deploy | describe | disable |
    do | document | edit | enable | end | ensure | escape | exit | explain | export | fetch |
    fix | follow | force | format | generate | give | go | guess | handle | hardcode | ignore |
    implement | import | include | indent | inline | insert | install | introduce | keep | leave
    | lint | list | log | look | make | mention | merge | mock | modify | move | name | open |
    output | overwrite | pin | pass | place | plan | prefer | prefix | print | propose | publish
    | push | put | quote | raise | read | rebase | refactor | refer | release | reload | remove
    | rename | repeat | replace | reply | report | reset | respond | restart | return | revert |
    review | rewrite | run | save | say | search | send | set | show | shorten | sign | skip |
    sort | speak | split | squash | stage | start | state | stick | stop | store | suggest |
    swallow | switch | tag | take | talk | tell | test | throw | touch | translate | treat | try
    | turn | type | undo | update | upgrade | use | validate | verify | wait | wrap | write
"""
"""Verbs with which an order to a coding agent begins, for a verbose pattern."""

_POLITE = r"(?:(?:please|also|and|but|ok|okay|so|remember|note)[,:]?\s+(?:that\s+)?)*"
_ENGLISH = re.compile(
    rf"""(?xi) ^ {_POLITE} (?:
      (?: you \s+ (?:must|should|shall) \s+
          | make \s+ sure (?:\s+ (?:that \s+ you|you))? \s+ (?:to \s+)? )?
        (?: always | never (?:\s+(?:ever|again))? ) \s+
        (?: (?:just|only|first|explicitly|directly|automatically) \s+ )? (?: {_VERBS} ) \b
    | (?: don'?t | don’t | do \s+ not ) \s+ ever \s+ \w
    | from \s+ now \s+ on \b (?! [,\s]+ i(?:'|’|\s) )
    | (?: new \s+ | the \s+ )? rule \s* (?: \d+ \s* )? : \s* \S
    )"""
)
_CHINESE = re.compile(
    r"""(?x) ^ (?:请|另外|还有|而且|记住|注意|你|[，,：:\s])* (?:
      以后 (?! 再(?:说|看|议|谈|讲|聊|做) | 我 | 会 | 可能 | 能 | 吧 ) (?= .* (?:
          都|要|不要|别|不许|不准|不得|禁止|一律|必须|请|只|先|每次|用|记得) )
    | (?:从现在(?:开始|起)|从今(?:以后|往后)|今后) (?! [，,]? 我 )
    | 一律 | 不要再 | 别再 | 永远(?:不要|别|不许) | 必须 | 务必 | 总是要 | 每次都要
    | (?:新)?规则 \s* [：:] \s* \S
    )"""
)
_ONCE = re.compile(r"(?i)\b(?:never\s?mind|always\s+been|from now on\s*(?:[.,]?\s*$|is|was))")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_NO_PROSE = re.compile(r"^(?: {4}|\t|\s*>|\s*\||\s*\$ |\s*<)")
_BULLET = re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)、])\s+")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
_ASKS = re.compile(r"(?:[?？]|吗[。！!.]?|呢[。！!.]?)\s*$")


def stated(text: str) -> tuple[str, ...]:
    """The sentences of a user's own words that state a rule, in order, each once.

    ``text`` is what was typed, not what a pipe or a file brought.
    """
    found = [
        sentence.rstrip(" ;；") for line in _prose(text) for sentence in _SENTENCES.split(line)
        if _is_rule(sentence)
    ]  # fmt: skip
    return tuple(dict.fromkeys(found))


def _prose(text: str) -> list[str]:
    """The lines that are neither code nor quoted, without list marks."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and not _NO_PROSE.match(line):
            lines.append(_BULLET.sub("", line).strip())
    return lines


def _is_rule(sentence: str) -> bool:
    if not sentence or len(sentence) > LONGEST or _ASKS.search(sentence):
        return False
    if _ONCE.search(sentence):
        return False
    return bool(_ENGLISH.match(sentence) or _CHINESE.match(sentence))
