"""Shell: the hand that runs a command."""

from __future__ import annotations

import locale
import os
import shutil
from collections.abc import Mapping, Sequence

from executors.hand_words import INTEGER, STRING, spec_of
from executors.head_tail import HeadTail
from executors.process import Ended, run_group
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome
from executors.stream_decode import StreamDecoder
from executors.terminal_text import TerminalText
from executors.workspace import Workspace

DEFAULT_TIMEOUT = 120
MAX_TIMEOUT = 3_600
PLAIN = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "NO_COLOR": "1",
    "CLICOLOR": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""So that programs neither colour, page nor ask."""
_DROPPED = ("BASH_ENV", "ENV", "FORCE_COLOR", "CLICOLOR_FORCE", "PROMPT_COMMAND")
"""What would run code of its own first, or colour all the same."""


class Shell:
    """Runs one command line in the workspace with bash, or sh where there is none."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec: ExecutorSpec = spec_of("shell", {"command": STRING}, timeout_s=INTEGER)

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The command line. Raises ``HandError`` for an empty one or one with NUL."""
        command = arguments["command"]
        if not command.strip():
            raise HandError("The command is empty.")
        if "\0" in command:
            raise HandError("The command holds a NUL byte.")
        _timeout(arguments)
        return (Claim("shell", command, f"run {command}"),)

    def preview(self, arguments: Arguments) -> Details:
        """The command."""
        command = arguments["command"]
        return Details("shell", _first_line(command), body=command, language="bash")

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """Run it. A failing command is an answer, not an error; only a timeout is one. All that
        it printed is reported before this returns or, cancelled, raises."""
        self.claims(arguments)
        command, timeout = arguments["command"], _timeout(arguments)
        kept, lines = HeadTail(), TerminalText()
        decoder = StreamDecoder(fallback=locale.getpreferredencoding(False))

        def pass_on(text: str) -> None:
            if text:
                kept.append(text)
                job.report(text)

        shell = shutil.which("bash") or "/bin/sh"
        try:
            ended = await run_group(
                (shell, "-c", command),
                self._workspace.root,
                environment(os.environ),
                timeout,
                lambda data: pass_on(lines.feed(decoder.feed(data))),
            )
        except OSError as error:
            raise HandError(f"The command could not be started: {error}.") from error
        finally:
            pass_on(lines.feed(decoder.finish()) + lines.finish())
        return _outcome(command, kept.text(), ended, timeout)


def environment(base: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command: the user's, made plain."""
    return {name: value for name, value in base.items() if name not in _DROPPED} | PLAIN


def _timeout(arguments: Arguments) -> int:
    seconds = arguments.get("timeout_s", DEFAULT_TIMEOUT)
    if not 1 <= seconds <= MAX_TIMEOUT:
        raise HandError(f"timeout_s must lie between 1 and {MAX_TIMEOUT} seconds.")
    return int(seconds)


def _outcome(command: str, output: str, ended: Ended, timeout: int) -> Outcome:
    notes = []
    if ended.left_running:
        notes.append("background processes were ended")
    summary = f"exit {ended.code}"
    if ended.timed_out:
        summary = f"timed out after {timeout} s"
        notes.append(f"{summary} and was ended; raise timeout_s if it needs longer")
    elif ended.code or not output.strip():
        notes.append(summary)
    body = output if not output or output.endswith("\n") else output + "\n"
    content = body + "\n".join(notes) if notes else output
    details = Details("shell", _first_line(command), summary, output)
    return Outcome(content, details, is_error=ended.timed_out)


def _first_line(command: str) -> str:
    first, _, rest = command.strip().partition("\n")
    return first + (" …" if rest else "")
