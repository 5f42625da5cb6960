"""The command line: flags become settings, settings one of three front ends.

Nothing heavy is imported here; each front end is imported when it is chosen.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, TypeVar

import typer

from growbox_tui import __version__
from growbox_tui.exit_codes import DONE, FAILED, INTERRUPTED, USAGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from growbox_tui.frontends.headless import Question
    from growbox_tui.settings import Settings
    from growbox_tui.wiring import Workbench

Answer = TypeVar("Answer")
Output = Literal["text", "json"]
PIPE_LIMIT = 8_000_000
"""Bytes that a pipe may add to a question."""
STDIN_PATIENCE = 3.0
"""Seconds to wait for the first byte of a pipe when there is a question without it."""

app = typer.Typer(
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="growbox: a coding agent for the terminal that remembers.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"growbox {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    prompt: Annotated[
        str | None, typer.Option("-p", "--print", help="Ask once, without a screen.")
    ] = None,
    output: Annotated[
        str, typer.Option(help="With -p: text, or json (one event a line).")
    ] = "text",
    yes: Annotated[bool, typer.Option("--yes", help="With -p: grant what would be asked.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with this folder's newest session.")
    ] = False,
    session: Annotated[
        str | None, typer.Option(help="Go on with this session (growbox sessions lists them).")
    ] = None,
    model: Annotated[str | None, typer.Option(help="provider/name, as litellm spells it.")] = None,
    memory: Annotated[str | None, typer.Option(help="The memory file.")] = None,
    theme: Annotated[str | None, typer.Option(help="The theme's name.")] = None,
    folder: Annotated[str, typer.Option("-C", "--folder", help="The folder to work in.")] = ".",
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Start the screen, or with -p ask once and print the answer."""
    if output not in ("text", "json"):
        _fail(f"--output is text or json, not “{output}”.", "", USAGE)
    if model is not None and not model.strip():
        _fail("--model names no model.", "Give provider/name, or leave it out.", USAGE)
    settings = _settings(model=model, memory=memory, theme=theme)
    project = _project(folder)
    context.obj = settings
    if context.invoked_subcommand is not None:
        return
    resumed = session or ("last" if resume else None)
    if prompt is None and _on_terminal():
        _screen(settings, project, resumed)
    else:
        form: Output = "json" if output == "json" else "text"
        _headless(settings, project, [_question(prompt)], resumed, form, "yes" if yes else "no")


@app.command()
def sessions(context: typer.Context) -> None:
    """List the conversations in the memory file."""
    import asyncio

    from growbox_tui.frontends.sessions import listed

    lines = _guarded(lambda: asyncio.run(listed(_bench(context.obj, Path.cwd()))), "text")
    typer.echo("\n".join(lines) if lines else "No sessions yet. growbox starts one.")
    if lines:
        typer.echo("growbox --session ID goes on with one.", err=True)


@app.command()
def cache(
    context: typer.Context,
    session: Annotated[
        str | None, typer.Argument(help="The session; without it the newest of this folder.")
    ] = None,
    output: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Tell what the prompt cache made of each request of a session, and what it cost."""
    import asyncio

    from growbox_tui.frontends.cache import told

    if output not in ("text", "json"):
        _fail(f"--output is text or json, not “{output}”.", "", USAGE)
    form: Output = "json" if output == "json" else "text"
    work = told(context.obj.memory, str(Path.cwd()), session, form)
    typer.echo(_guarded(lambda: asyncio.run(work), form))


@app.command()
def doctor(
    context: typer.Context,
    output: Annotated[str, typer.Option(help="text or json.")] = "text",
) -> None:
    """Measure on your own memories what the model is good for that reads them."""
    import asyncio

    from growbox_tui.frontends.doctor import examined

    if output not in ("text", "json"):
        _fail(f"--output is text or json, not “{output}”.", "", USAGE)
    form: Output = "json" if output == "json" else "text"
    work = examined(_bench(context.obj, Path.cwd()), form)
    typer.echo(_guarded(lambda: asyncio.run(work), form))


@app.command()
def demo(
    context: typer.Context,
    output: Annotated[
        str | None, typer.Option(help="Without a screen: text or json; all is granted.")
    ] = None,
) -> None:
    """Play a short script through the real program, in a throw-away folder, without a key."""
    import dataclasses
    import tempfile

    from growbox_tui.demo import questions, script, unpack
    from growbox_tui.frontends.headless import Question

    if output not in (None, "text", "json"):
        _fail(f"--output is text or json, not “{output}”.", "", USAGE)
    with tempfile.TemporaryDirectory(prefix="growbox-demo-") as place:
        folder = Path(place) / "orchard"
        unpack(folder)
        settings = dataclasses.replace(
            context.obj, model=f"script/{script()}", memory=Path(place) / "memory.db"
        )
        if output is None and _on_terminal():
            _screen(settings, folder, None, demo=questions())
        else:
            form: Output = "json" if output == "json" else "text"
            asked = [Question(question, question) for question in questions()]
            _headless(settings, folder, asked, None, form, "yes")


# ---- the front ends --------------------------------------------------------------------------


def _screen(
    settings: Settings, project: Path, resume: str | None, demo: tuple[str, ...] = ()
) -> None:
    # Nothing of the start is garbage; the app turns collection on again after its first paint.
    gc.disable()
    from growbox_tui.app import GrowboxApp
    from growbox_tui.wiring import Workbench

    bench = Workbench(settings, project, demo=bool(demo))
    screen = GrowboxApp(bench, resume=resume, prompts=demo)
    screen.run()
    raise SystemExit(screen.return_code or DONE)


def _headless(
    settings: Settings,
    project: Path,
    questions: list[Question],
    resume: str | None,
    output: Output,
    stand_in: str,
) -> None:
    import asyncio

    from growbox_tui.frontends.headless import ask

    bench = _bench(settings, project, stand_in)
    code = _guarded(lambda: asyncio.run(ask(bench, questions, resume, output)), output)
    raise SystemExit(code)


def _bench(settings: Settings, project: Path, stand_in: str = "no") -> Workbench:
    from growbox_tui.wiring import Workbench

    return Workbench(settings, project, stand_in=stand_in, embed="meanwhile")


def _guarded(work: Callable[[], Answer], output: Output) -> Answer:
    """Do it, or tell in one sentence why it could not be done, and leave with the right code."""
    from growbox_tui.agent.events import Failed
    from growbox_tui.claims import SessionError
    from growbox_tui.frontends.headless import Ended, report
    from growbox_tui.models.protocol import ModelError, Unauthorised, UnknownModel
    from memory import MemoryFileError

    try:
        return work()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except Ended as signal:
        raise SystemExit(signal.code) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(FAILED) from None
    except (ModelError, MemoryFileError, SessionError) as error:
        report(Failed(type(error).__name__, error.text, error.hint), output)
        usage = isinstance(error, UnknownModel | Unauthorised | SessionError)
        raise SystemExit(USAGE if usage else FAILED) from None
    except OSError as error:
        _fail(f"growbox could not go on: {error}.", "", FAILED)


# ---- what is given ---------------------------------------------------------------------------


def _settings(**flags: str | None) -> Settings:
    from growbox_tui.settings import SettingsError, load

    try:
        return load(os.environ, **flags)
    except SettingsError as error:
        _fail(error.text, error.hint, USAGE)


def _on_terminal() -> bool:
    """Whether a person sits at both ends. A closed stream is nobody's."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _project(folder: str) -> Path:
    path = Path(folder).expanduser()
    try:
        os.chdir(path)
        return Path.cwd()
    except FileNotFoundError:
        _fail(f"The folder {path} is not there (any more).", "Give -C a folder.", USAGE)
    except OSError as error:
        _fail(f"{path} is no folder to work in: {error.strerror}.", "Give -C a folder.", USAGE)


def _question(prompt: str | None) -> Question:
    """The question from the flag and from a pipe on stdin."""
    from growbox_tui.frontends.headless import Question

    open_pipe = sys.stdin is not None and not sys.stdin.isatty()
    piped = _piped(patient=prompt is None) if open_pipe else ""
    parts = [part for part in (piped.strip("\n"), prompt) if part and part.strip()]
    if not parts:
        _fail("There is no question.", "Give one with -p, or pipe it in.", USAGE)
    return Question("\n\n".join(parts), prompt or "")


def _piped(*, patient: bool) -> str:
    """What stdin holds. A pipe that stays silent is not waited for when there is a question."""
    if not patient and not select.select([sys.stdin], [], [], STDIN_PATIENCE)[0]:
        typer.echo("stdin is silent and is not waited for", err=True)
        return ""
    data = sys.stdin.buffer.read(PIPE_LIMIT + 1)
    if len(data) > PIPE_LIMIT:
        _fail("More than 8 MB were piped in.", "Put it into a file and name the file.", USAGE)
    if b"\0" in data:
        _fail("What was piped in is not text.", "Name the file in the question.", USAGE)
    return data.decode("utf-8", "replace")


def _fail(text: str, hint: str, code: int) -> NoReturn:
    from growbox_tui.agent.words import sentences

    typer.echo(sentences(text, hint), err=True)
    raise SystemExit(code)


def main() -> None:
    """The ``growbox`` command."""
    app()
