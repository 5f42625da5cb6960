"""GrowboxApp: paints first, then opens the session; two kinds of workers, both coroutines.

One worker takes a turn, one reads the stream of events and hands each to the router. Nothing
blocking runs here, so keys are answered while anything else goes on.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.app import App
from textual.events import Key, Paste

from growbox_tui import commands, pages, recall_commands, theme_choice
from growbox_tui.agent.events import TurnEnded, UsageReported
from growbox_tui.asks import Asks
from growbox_tui.branch import branch_of
from growbox_tui.exit_codes import FAILED
from growbox_tui.places import Places
from growbox_tui.refresh import Refresh, watch_embedding
from growbox_tui.router import Router
from growbox_tui.screens.chat import ChatScreen
from growbox_tui.session_figures import Figures
from growbox_tui.tellings import told
from growbox_tui.themes import variable_defaults
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.composer import Composer, Draft
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.question_card import QuestionCard
from growbox_tui.widgets.recall_card import RecallCard

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.events import Event
    from textual.screen import Screen

    from growbox_tui.agent.session import Session
    from growbox_tui.agent.stream import Reader
    from growbox_tui.wiring import Workbench
    from memory.types import MemoryState

BREATH = 50
"""Events that are shown in one go before keys get their turn."""
RESTED = ("ready", "failed")
"""States in which there is nothing to stop."""
QUIT_SECONDS = 2.0
"""How long a second ctrl+c counts as meaning to leave."""


def _palette() -> type[Provider]:
    from growbox_tui.palette import ActionProvider

    return ActionProvider


class GrowboxApp(App[None]):
    """The screen of growbox."""

    TITLE = "growbox"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}

    def __init__(
        self,
        workbench: Workbench,
        resume: str | None = None,
        prompts: Sequence[str] = (),
    ) -> None:
        """``resume``: a session's id, ``last``, or ``None`` for a new one. Of ``prompts`` the first
        is sent at once, and each other when the turn before has ended."""
        super().__init__()
        self.workbench = workbench
        self.session: Session | None = None
        self.chat = ChatScreen(workbench.files)
        self.asks = Asks(self.chat)
        self.router = Router(
            Places(
                self.chat.conversation,
                self.chat.composer,
                self.chat.prefix_bar,
                self.chat.memory_panel,
                self.chat.plan,
            ),
            figures_changed=self._show_figures,
            ask=self.asks.show,
            answered=self.asks.close,
        )
        self.resume = resume
        self.script = list(prompts)
        self._outbox: list[str] = []
        self._refresh_memory = Refresh(self._memory_state)
        self._branch = ""
        self._interrupted = 0.0
        self._unopened = False
        """Whether the last try to open a session failed."""
        self.own_themes: tuple[str, ...] = ()
        """Names of the themes that growbox offers."""

    # ---- start -------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """The chat is the first thing painted."""
        return self.chat

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, for themes that do not name them."""
        return variable_defaults()

    def on_load(self) -> None:
        """Colours before the first frame."""
        theme_choice.wear(self)

    def on_ready(self) -> None:
        """After the first paint: everything that takes time."""
        gc.freeze()  # what the start made stays; later collections need not walk it
        gc.enable()
        for number in (signal.SIGTERM, signal.SIGHUP):
            leave = partial(self.exit, return_code=128 + number)
            asyncio.get_running_loop().add_signal_handler(number, leave)
        self.workbench.files("")
        self._branch = branch_of(self.workbench.project)
        self._show_figures(self.router.figures)
        self.start(self.open_session(self.resume), group="open")
        if self.script:
            self.send(self.script.pop(0))

    async def on_unmount(self) -> None:
        """Let go of the session, the models and the memory file."""
        await self.workbench.close()

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        """Leave; where there was no session to leave, with the code of a failure."""
        super().exit(result, return_code or (FAILED if self._unopened else 0), message)

    async def on_event(self, event: Event) -> None:
        """Keys come by here before anything else: some are answers, some are prose."""
        keyed = isinstance(event, Key | Paste) and not event.is_forwarded
        if not (keyed and self.asks.takes(cast("Key | Paste", event))):
            await super().on_event(event)

    def start(self, work: Coroutine[Any, Any, None], group: str) -> None:
        """Run a coroutine beside the screen; whatever goes wrong in it is told on the screen."""
        self.run_worker(self._told(work, group), group=group, exit_on_error=False)

    async def _told(self, work: Coroutine[Any, Any, None], group: str) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001  the screen and what is typed outlive any failure
            self.say(told(error))
            if self.session is None or not self.session.busy:
                # A turn can fail; a model or a session that is refused leaves all as it was.
                failed = self.session is None or group not in ("model", "open")
                self.router.state("failed" if failed else "ready")

    async def open_session(self, resume: str | None, model: str = "") -> None:
        """Open a session, then let go of the one before; send what was typed in the meantime."""
        if self.session is not None and resume == self.session.id:
            return
        self.router.state("starting")
        self._unopened = self.session is None
        try:
            session = await self.workbench.open(resume, model=model)
        except Exception:
            if self.session is None:
                self._outbox.clear()
                self.router.refused()
            raise
        self.resume, self._unopened = None, False
        if self.session is not None:
            old, self.session = self.session, None
            await old.close()
            self.chat.conversation.clear()
            self.router.forget()
            self.chat.plan.show(())
        self.session = session
        self.start(self._listen(session.stream.reader()), group="events")
        await session.start()
        await self._refresh_memory()
        outbox, self._outbox = self._outbox, []
        for text in outbox:
            self.start(self._turn(session, text), group="turn")

    async def _listen(self, reader: Reader) -> None:
        count = 0
        async for event in reader:
            self.router.route(event)
            pages.hear(self, event)
            if isinstance(event, UsageReported):
                self.start(self._refresh_memory(), group="memory")
            elif isinstance(event, TurnEnded):
                self.workers.cancel_group(self, "embedding")
                self.start(watch_embedding(self._memory_state), group="embedding")
            count += 1
            if count % BREATH == 0:
                await asyncio.sleep(0)

    async def _turn(self, session: Session, text: str) -> None:
        await session.prompt(text)
        await self._refresh_memory()
        if self.script and not session.busy and session is self.session:
            self.send(self.script.pop(0))

    async def _memory_state(self) -> MemoryState:
        self.chat.memory_panel.state(state := await self.workbench.state())
        return state

    # ---- what the user sends -----------------------------------------------------------------

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        event.stop()
        self.asks.sent()
        text = event.text.strip()
        word, _, rest = text.partition(" ")
        if text.startswith("!"):
            commands.shell(self, text[1:].strip())
        elif word.startswith("/") and "/" not in word[1:] and "\n" not in word:
            commands.command(self, word, rest.strip(), text)
        else:
            self.send(text)

    def send(self, text: str) -> None:
        """Send words to the model; they wait where no session is open or a turn runs."""
        self.chat.conversation.follow()
        busy = self.session is not None and self.session.busy
        later = self.session is not None and not self.session.takes_words
        self.router.waits(text, opens=not busy, later=later)
        if self.session is None:
            self._outbox.append(text)
            if not any(worker.group == "open" for worker in self.workers):
                self.start(self.open_session(self.resume), group="open")
            return
        if not busy:
            self.router.state("recalling")
        self.start(self._turn(self.session, text), group="turn")

    def say(self, notice: Notice) -> None:
        """Put a notice into the conversation."""
        self.chat.conversation.add(notice)

    # ---- actions -----------------------------------------------------------------------------

    def on_chat_screen_wanted(self, event: ChatScreen.Wanted) -> None:
        event.stop()
        commands.perform(self, event.name, event.argument)

    def action_help_quit(self) -> None:
        """ctrl+c: stop the turn, else empty the composer, else twice leaves."""
        if self.session is not None and self.session.busy:
            commands.perform(self, "stop", "")
        elif self.chat.composer.text:
            self.chat.composer.put(Draft(""))
        elif monotonic() - self._interrupted < QUIT_SECONDS:
            self.exit()
        else:
            self._interrupted = monotonic()
            self.notify("ctrl+c again leaves growbox", timeout=QUIT_SECONDS)

    # ---- what the router asks for ------------------------------------------------------------

    def _show_figures(self, figures: Figures) -> None:
        project, demo = str(self.workbench.project), self.workbench.demo
        self.chat.title_line.show(project, self._branch, figures.model, demo)
        self.chat.status.update_figures(
            figures.model,
            self.session.cost if self.session is not None else None,
            figures.used,
            figures.context,
            figures.cache_share,
            figures.state,
        )
        # A nap is told of while the session still tidies up behind it, and nothing comes after it.
        busy = self.session is not None and self.session.busy and figures.state not in RESTED
        self.chat.show_keys(running=busy)

    def on_recall_card_wrong(self, event: RecallCard.Wrong) -> None:
        event.stop()
        recall_commands.say_wrong(self, event.card.event)

    def on_approval_card_answered(self, event: ApprovalCard.Answered) -> None:
        event.stop()
        self._answer(event.card.event.ask, event.choice, event.reason)

    def on_approval_card_clicked(self, event: ApprovalCard.Clicked) -> None:
        event.stop()
        self.asks.clicked(event.card)

    def on_question_card_answered(self, event: QuestionCard.Answered) -> None:
        event.stop()
        self._answer(event.card.event.ask, event.answer, "")

    def _answer(self, ask: str, choice: str, reason: str) -> None:
        if self.session is None or not self.session.answer(ask, choice, reason):
            self.say(Notice("Nothing waits for this answer any more.", "warning"))
            self.asks.close(ask)
