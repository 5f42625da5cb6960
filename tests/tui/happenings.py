"""Happenings: the events that scenes are made of, one call of each hand among them."""

from __future__ import annotations

from dataclasses import replace

from growbox_tui.agent import events as e
from tests.tui import specimens as s
from tests.tui.fake_session import ANSWER, DIFF, shell_ask

WHERE = "mem://01J9ZQ4T7K3M5N8P2R6S0V1W2X"
PROMPT = replace(
    s.PROMPT,
    segments=tuple(part for part in s.SEGMENTS if part.state != "broken"),
    total=47_700,
    predicted=43_100,
)
"""A prompt that only grew."""
USAGE = replace(s.USAGE, input=47_700, cache_read=42_900, predicted=43_100)


def started(call: str, name: str, title: str) -> e.ToolStarted:
    return e.ToolStarted(call, name, title, ())


def call(
    name: str, kind: str, title: str, summary: str, body: str, **rest: object
) -> list[e.Event]:
    """A call of a hand that ran to its end."""
    detail = e.DetailView(kind, title, summary, body, str(rest.get("language", "")))
    error, seconds = bool(rest.get("error")), float(str(rest.get("seconds", 0.3)))
    return [
        started(f"{name} {title}", name, title),
        e.ToolEnded(f"{name} {title}", name, error, detail, seconds, WHERE),
    ]


SOURCE = """def prune(node: Node) -> int:
    \"\"\"Cut what has ended.\"\"\"
    if node.is_leaf():
        return cut(node)
    return sum(prune(child) for child in node.children)"""
READ = call(
    "read_file", "file", "src/prune.py:40-44", "5 lines", SOURCE, language="python", seconds=0.02
)
EDIT = call("edit_file", "diff", "src/prune.py", "+1 -1", DIFF)
NEW_FILE = "+def test_枝节点():\n+    assert prune(枝)\n"
WRITE = call("write_file", "diff", "tests/test_枝.py", "new, 2 lines", NEW_FILE)
PASSED = "....                                                   [100%]\n4 passed in 0.31s"
SHELL = call("shell", "shell", "pytest -k prune", "exit 0", PASSED, seconds=14.2)
LONG_COMMAND = "make docs && ./publish --to staging --retries 3 --timeout 30"
NO_RULE = "make: *** No rule to make target 'docs'.  Stop."
SHELL_FAILED = call("shell", "shell", LONG_COMMAND, "exit 2", NO_RULE, seconds=125, error=True)
TREE = "src/\n  graft.py      4.1 KiB\n  prune.py      2.2 KiB\n  修剪.py       812 B"
LISTING = call("list_files", "listing", "src", "3 entries", TREE)
FOUND = "src/graft.py:12: if node.is_leaf() and node.age > limit:\nsrc/prune.py:42: if is_leaf():"
MATCHES = call("search_text", "matches", "is_leaf in src", "2 matches in 2 files", FOUND)
STEPS = "[x] find the cause\n[>] write a failing test\n[ ] mend it"
PLANNED = call("plan", "plan", "3 steps", "1 done", STEPS)
ANSWERED = "Which branch?\n> release/2.1"
ASKED = call("ask_user", "question", "Which branch?", "answered", ANSWERED, seconds=31)
PAGED_IN = f"""{WHERE} 2025-05-03 14:02 user
prune late, never early

{WHERE} 2025-05-02 09:10 tool
is_leaf() 的约定"""
RECALL_HAND = call("recall", "memory", "what did we decide about it?", "2 memories", PAGED_IN)
TEXT = call("call_tool", "text", "clock", "ok", "It is three.")
RUNNING: list[e.Event] = [
    started("run", "shell", "pytest -q"),
    e.ToolProgress("run", "collecting ...\ncollected 4 items\n.... 3 passed, 1 running\n"),
]
KINDS: list[e.Event] = [
    *READ, *EDIT, *WRITE, *SHELL, *SHELL_FAILED, *LISTING, *MATCHES, *PLANNED, *ASKED,
    *RECALL_HAND, *TEXT,
]  # fmt: skip
REPLAY: tuple[e.Event, ...] = (
    e.Replayed("user", "What did we decide about pruning?"),
    e.Replayed("tool", "prune late, never early", "recall", "what did we decide about pruning?"),
    e.Replayed("tool", "src/old.py: no such file", "read_file", "src/old.py", True),
    e.Replayed("assistant", "We decided to **prune late**, because `graft.py` still reads it."),
)
ZH = """是的，`is_leaf()` 数的是 *未完成* 的子节点，所以**枝节点**会被跳过。我们在五月三日讨论过\
同样的问题，当时的修法是改成 `children_done`。

| 文件 | 行数 | 说明 |
|---|---:|---|
| 修剪.py | 52 | 入口，决定剪还是不剪 |
| 嫁接.py | 7 | 只读 |

1. 先写一个会失败的测试
2. 再改条件

```python
if 节点.children_done:
    修剪(节点)  # 完成了才剪
```
"""
LONG_DIFF = "--- a/src/prune.py\n+++ b/src/prune.py\n@@ -1,60 +1,60 @@\n" + "".join(
    f"-    step_{number:02d} = node.is_leaf()\n+    step_{number:02d} = node.children_done\n"
    for number in range(30)
)
EDIT_ASK = e.ApprovalAsked(
    "a2", "c2", "edit_file", ("write src/prune.py",),
    e.DetailView("diff", "src/prune.py", "+30 -30", LONG_DIFF), shell_ask().choices,
)  # fmt: skip
ASK = e.QuestionAsked(
    "q1",
    "Which branch shall the mended pruning job go to, now that release/2.0 is closed?",
    (
        "main",
        "release/2.1, with a note in the change log so that those who run it nightly know",
        "无",
    ),
)


def ran(call: str, summary: str) -> list[e.Event]:
    """The end of a command that was running."""
    detail = e.DetailView("shell", "pytest -q", summary, PASSED)
    return [e.ToolEnded(call, "shell", False, detail, 14.2, WHERE)]


def turn(answer: str = ANSWER) -> list[e.Event]:
    """One turn with everything in it, but its end."""
    return [
        s.RECALLED, e.WindowChanged(s.ITEMS), PROMPT, e.PlanChanged(s.PLAN),
        *READ, *EDIT, USAGE, *RUNNING, e.MessageStarted(2), e.TextDelta(answer),
    ]  # fmt: skip
