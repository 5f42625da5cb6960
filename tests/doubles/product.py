"""Starting the installed program as a user would, in a world of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.doubles.patience import FOR_EVER

MODEL = "openai/fake-model"


def command(*arguments: str) -> list[str]:
    """The installed ``growbox``, or the package as a module where there is no script of it."""
    script = Path(sys.executable).with_name("growbox")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "growbox_tui"]
    return [*start, *arguments]


def world(home: Path, url: str = "", **more: str) -> dict[str, str]:
    """An environment with nothing of the user's in it.

    Args:
        home: holds configuration and memory; created where it is missing.
        url: base URL of an OpenAI-compatible provider, with a key that no one knows.
        more: further variables.
    """
    home.mkdir(parents=True, exist_ok=True)
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": str(home),
        "GROWBOX_HOME": str(home / "growbox"),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    if url:
        env |= {"OPENAI_API_KEY": "key-of-no-one", "OPENAI_BASE_URL": url}
    return env | more


@dataclass(frozen=True, slots=True)
class Run:
    """A program that ran to its end."""

    code: int
    """Exit code; negative for a signal."""
    out: str
    err: str
    seconds: float
    peak_mb: float
    """The most MiB that it, or a process that it waited for, had resident at once."""


def run(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdin: str = "",
    seconds: float = FOR_EVER,
) -> Run:
    """Run ``growbox`` with these arguments to its end. Raises ``TimeoutExpired`` when it hangs."""
    return run_program(command(*arguments), env=env, cwd=cwd, stdin=stdin, seconds=seconds)


def run_program(
    program: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    stdin: str = "",
    seconds: float = FOR_EVER,
) -> Run:
    """Run a program to its end; see ``run``.

    The kernel tells the peak of all children waited for so far, and carries the parent's own size
    into a child's; so a small process of its own stands between, which reports for one child.
    """
    between = [sys.executable, "-I", "-S", "-c", BETWEEN, *program]
    child = subprocess.Popen(
        between,
        env=dict(env),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, told = child.communicate(stdin, timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise
    err, _, tail = told.rpartition("\x1e")
    took, peak = tail.split()
    return Run(child.returncode, out, err, float(took), float(peak))


BETWEEN = """
import os, resource, signal, sys, time
begun = time.monotonic()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
signal.signal(signal.SIGINT, signal.SIG_IGN)
status, usage = os.wait4(pid, 0)[1:]
took = time.monotonic() - begun
sys.stderr.write(f"\\x1e{took:.4f} {usage.ru_maxrss / 1024:.1f}")
sys.stderr.flush()
code = os.waitstatus_to_exitcode(status)
os._exit(code if code >= 0 else 128 - code)
"""


def sample_repository(folder: Path) -> Path:
    """A small repository to work in: two modules of many functions, a README, one commit."""
    folder.mkdir(parents=True)
    for name in ("a", "b"):
        steps = "".join(
            f"def step_{name}_{i}(x, retry={i % 5}):\n"
            f"    '''Step {i}: retry with backoff {(i * 37 % 101) / 101:.3f}.'''\n"
            f"    return x * {i * 53 % 97 + 1} + retry\n\n"
            for i in range(60)
        )
        total = "print(sum(globals()[n](1) for n in list(globals()) if n.startswith('step_')))\n"
        main = f"if __name__ == '__main__':\n    {total}"
        (folder / f"{name}.py").write_text(f"import time, random\n\n{steps}{main}")
    words = "A sample project with two modules and a retry policy.\n" * 30
    (folder / "README.md").write_text(f"# sample\n{words}")
    if shutil.which("git"):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        for step in (["init", "-q", "."], ["add", "-A"], [*who, "commit", "-qm", "init"]):
            subprocess.run(["git", *step], cwd=folder, check=True, capture_output=True)
    return folder
