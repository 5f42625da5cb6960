"""Words: seeded text of a recorded size, since traces hold no text.

The text looks as such text does to a writer of extracts: prose of a person or a model (English,
now and then Chinese), code, listings and logs with errors in them. The same seed gives the same
characters in every process.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from memory.tokens import ASCII_TOKENS, OTHER_TOKENS, estimate


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_SYLLABLES = _split(
    "ba be bi ca co da de di fa fe ga ge ha he in ka ki la le li lo ma me mi na ne no or pa pe po "
    "ra re ri ro sa se si so ta te ti to un va ve vi wa we ya ze"
)
_PLAIN = _split(
    "the a this that when because where so and but we it which first then now again only still "
    "reads writes fails returns keeps drops checks needs calls moves opens closes waits holds "
    "test file cache queue window parser session index timeout retry branch column schema lock "
    "config error value line module function request response buffer token stream worker"
)
_HAN = _split(
    "我们 需要 检查 这个 文件 缓存 失败 因为 没有 正确 处理 超时 现在 修改 测试 通过 以后 一律 "
    "使用 新的 配置 窗口 记忆 会话 请求 返回 结果 错误 日志 函数 参数 队列 提示 前缀 保持 不变"
)
_SHORT = ("ok", "yes", "go on", "next", "continue", "继续", "好的", "done", "stop", "no")
_ERRORS = ("TypeError", "ValueError", "KeyError", "TimeoutError", "AssertionError", "OSError")
HAN_SHARE = 0.15
"""Of messages that a person or a model wrote: in Chinese."""


class Writer:
    """Writes the texts of one trace. Each text depends on the seed and its place alone."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        chance = random.Random(seed)
        self._names = [
            "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(900)
        ]
        self._paths = [
            f"src/{chance.choice(self._names)}/{chance.choice(self._names)}.py" for _ in range(60)
        ]

    def said(self, place: int, tokens: int) -> str:
        """What a user says, in exactly so many estimated tokens."""
        chance = self._chance("user", place)
        if tokens <= 3:
            return _filled(chance.choice(_SHORT), tokens)
        return self._written(chance, tokens, self._tongue(chance))

    def answered(self, place: int, tokens: int) -> str:
        """What a model says: prose, and in longer texts code."""
        chance = self._chance("assistant", place)
        if tokens < 200:
            return self._written(chance, tokens, self._tongue(chance))
        return self._written(chance, tokens, self._tongue(chance), self._code)

    def argument(self, place: int, tokens: int) -> str:
        """What a model hands to a tool: code or a command."""
        return self._written(self._chance("argument", place), tokens, self._code)

    def output(self, place: int, tokens: int) -> str:
        """What a tool prints: a log, a listing, code, a table."""
        chance = self._chance("tool", place)
        style = chance.choice((self._log, self._code, self._listing, self._log))
        return self._written(chance, tokens, style)

    def memory(self, place: int, tokens: int) -> str:
        """Something that an earlier session left behind."""
        chance = self._chance("memory", place)
        return self._written(chance, tokens, self._tongue(chance))

    def command(self, place: int) -> str:
        """What a tool was asked for, in one line."""
        chance = self._chance("command", place)
        path = chance.choice(self._paths)
        return chance.choice(
            (f"pytest -q {path}", f"cat {path}", f"grep -n {self._name(chance)} -r")
        )

    def _chance(self, kind: str, place: int) -> random.Random:
        return random.Random(f"{self._seed} {kind} {place}")

    def _written(
        self, chance: random.Random, tokens: int, *styles: Callable[[random.Random], str]
    ) -> str:
        """Lines of these styles, ten of one after ten of the other, cut to the size."""
        lines: list[str] = []
        left = float(tokens)
        while left > 0:
            line = styles[len(lines) // 10 % len(styles)](chance)
            ascii_count = sum(char < "\x80" for char in line)
            cost = (ascii_count + 1) * ASCII_TOKENS + (len(line) - ascii_count) * OTHER_TOKENS
            if cost > left:
                lines.append(_cut(line, left))
                break
            lines.append(line)
            left -= cost
        return _filled("\n".join(lines), tokens)

    def _tongue(self, chance: random.Random) -> Callable[[random.Random], str]:
        return self._chinese if chance.random() < HAN_SHARE else self._prose

    def _name(self, chance: random.Random) -> str:
        return chance.choice(self._names)

    def _prose(self, chance: random.Random) -> str:
        words = [
            self._name(chance) if chance.random() < 0.3 else chance.choice(_PLAIN)
            for _ in range(chance.randint(6, 18))
        ]
        if chance.random() < 0.2:
            words.append(f"in `{chance.choice(self._paths)}`")
        return f"{' '.join(words).capitalize()}."

    def _chinese(self, chance: random.Random) -> str:
        words = chance.choices(_HAN, k=chance.randint(5, 14))
        words.insert(2, f" {self._name(chance)} ")
        return f"{''.join(words)}。"

    def _code(self, chance: random.Random) -> str:
        one, two, three = (self._name(chance) for _ in range(3))
        return chance.choice(
            (
                f"def {one}_{two}({three}: str, limit: int = {chance.randint(1, 99)}) -> bool:",
                f"    {one} = self.{two}.{three}({chance.randint(0, 999)})",
                f"    if {one} is None or len({two}) > {chance.randint(1, 64)}:",
                f'        raise {chance.choice(_ERRORS)}(f"{one} {two}: {{{three}}}")',
                f"    return {one}[{two}]",
                f"from {one}.{two} import {three}",
            )
        )

    def _log(self, chance: random.Random) -> str:
        clock = f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}"
        if chance.random() < 0.08:
            error = chance.choice(_ERRORS)
            return f"{clock} ERROR {error}: {self._name(chance)} in {chance.choice(self._paths)}"
        words = " ".join(self._name(chance) for _ in range(chance.randint(2, 6)))
        return f"{clock} INFO {words} {chance.randint(1, 9_999)} ms"

    def _listing(self, chance: random.Random) -> str:
        path = chance.choice(self._paths)
        return f"{path}:{chance.randint(1, 900)}:    {self._name(chance)} = {self._name(chance)}()"


def _cut(line: str, tokens: float) -> str:
    """The beginning of a line that has at most so many tokens."""
    for end, char in enumerate(line):
        tokens -= ASCII_TOKENS if char < "\x80" else OTHER_TOKENS
        if tokens < 0:
            return line[:end]
    return line


def _filled(text: str, tokens: int) -> str:
    """The text with letters put to its end, or taken from it, until the estimate is exact."""
    while text and estimate(text) > tokens:
        text = text[:-1]
    short = tokens - estimate(text)
    if short > 0:
        text += "." * max(1, int((short - 0.5) / ASCII_TOKENS))
    while estimate(text) < tokens:
        text += "."
    return text
