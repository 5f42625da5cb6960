"""Router: every event to the widget that shows it.

It knows a handful of widgets and nothing of sessions. What it keeps is what spans events: the
open questions, the figures of the status line, and what the pages show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from growbox_tui import tellings
from growbox_tui.agent import events as e
from growbox_tui.replay import replayed
from growbox_tui.reply import Reply
from growbox_tui.running_cards import RunningCards
from growbox_tui.session_figures import Figures
from growbox_tui.waiting_words import WaitingWords
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.recall_card import RecallCard

if TYPE_CHECKING:
    from textual.widget import Widget

    from growbox_tui.places import Places


class Router:
    """``route`` takes each event once, in order."""

    def __init__(
        self,
        places: Places,
        *,
        figures_changed: Callable[[Figures], None],
        ask: Callable[[e.ApprovalAsked | e.QuestionAsked], None],
        answered: Callable[[str], None],
    ) -> None:
        """``ask`` opens a question, ``answered`` closes the one with this id."""
        self.places = places
        self.figures = Figures()
        self.window: tuple[e.WindowItemView, ...] = ()
        """What the memory screen shows."""
        self.recalled: e.Recalled | None = None
        """The last recall that was told of."""
        self.rules: tuple[e.RuleView, ...] = ()
        """What the user stated, as last told."""
        self.last_prompt = ""
        """The user's last words, for a retry."""
        self._figures_changed = figures_changed
        self._ask = ask
        self._answered = answered
        self._cards = RunningCards(places.conversation)
        self._reply = Reply(places.conversation)
        self._asked: dict[str, e.ApprovalAsked | e.QuestionAsked] = {}
        self._waiting = WaitingWords(places.conversation, places.composer)
        self._begun = False
        """Whether the words of the running turn are on disk."""
        self._turn_open = False
        """Whether a turn was asked for and has not ended."""
        self._told = False
        """Whether it was told why the running turn ends."""
        self._notice = self._after_notice = False
        """Whether this event is a notice, and whether the one before it was."""

    # ---- what the app calls ------------------------------------------------------------------

    def waits(self, text: str, *, opens: bool, later: bool = False) -> None:
        """Show words that were sent but are not yet in the conversation. ``opens``: they begin a
        turn, so they are what a retry sends, however early the turn fails. ``later``: they begin
        one after what runs now, which is no turn that could take them."""
        if opens:
            self.last_prompt = text
            self._turn_open = True
        self._waiting.show(text, opens=opens, later=later)

    def refused(self) -> None:
        """No session could be opened: what was sent goes back to where it was written."""
        self._turn_open = False
        self._waiting.give_back(opener=True)

    @property
    def hits(self) -> tuple[e.HitView, ...]:
        """What the last recall found."""
        return self.recalled.hits if self.recalled is not None else ()

    @property
    def under_way(self) -> e.PromptBuilt | None:
        """The request that the running turn waits for."""
        return self.places.prefix_bar.awaited if self._turn_open else None

    def state(self, words: str) -> None:
        """Say what is going on, in a word or two."""
        self._figure(state=words)

    def forget(self) -> None:
        """Another conversation begins on the same screen."""
        self._cards.forget()
        self._asked.clear()
        self._waiting.forget()
        self._begun = self._turn_open = self._told = False
        self.places.prefix_bar.clear()
        self.window, self.recalled, self.rules, self.last_prompt = (), None, (), ""
        self.figures = Figures()

    # ---- one event ---------------------------------------------------------------------------

    def route(self, event: e.Event) -> None:
        """Show one event."""
        self._after_notice, self._notice = self._notice, isinstance(event, e.Notice)
        match event:
            case e.SessionOpened() | e.Replayed() | e.ModelChanged() | e.Napped():
                self._session(event)
            case e.TurnStarted() | e.Steered() | e.TurnEnded():
                self._turn(event)
            case e.Recalled() | e.PromptBuilt() | e.WindowChanged() | e.Rebased() | e.Warmed():
                self._memory(event)
            case e.RulesChanged():
                self.rules = event.rules
                if event.notice:
                    self._add(tellings.rules_changed(event))
            case e.HandsArrived():
                self._add(tellings.hands_arrived(event))
            case e.MessageStarted() | e.TextDelta() | e.ThinkingDelta() | e.MessageEnded():
                self._turns_to(self._reply.show(event))
            case e.UsageReported() | e.Retrying():
                self._request(event)
            case e.ToolStarted() | e.ToolProgress() | e.ToolEnded():
                self._turns_to(self._cards.show(event, own=not self._turn_open))
            case e.ApprovalAsked() | e.QuestionAsked():
                self._asked[event.ask] = event
                self._figure(state="waiting for you")
                self._ask(event)
            case e.ApprovalAnswered() | e.QuestionAnswered():
                self._answer(event)
            case e.PlanChanged():
                self.places.plan.show(event.items)
            case e.Notice():
                self._add(Notice(event.text, event.level))
            case e.Failed():
                # What was being written ends here: the reason belongs below it.
                self._reply.cut()
                self._told = True
                self._add(tellings.failed(event, in_turn=self._turn_open))
            case _:
                assert_never(event)

    def _session(self, event: e.SessionOpened | e.Replayed | e.ModelChanged | e.Napped) -> None:
        match event:
            case e.SessionOpened():
                sent_before = event.resumed and event.turns
                self.places.prefix_bar.clear(tellings.RESUMED if sent_before else "")
                limit = event.window or event.context
                self._figure(model=event.model, context=limit, state="ready")
                if event.why:
                    self._add(Notice(event.why))
            case e.Replayed():
                if event.role == "user":
                    self.last_prompt = event.text
                    self.places.composer.remember(event.text)
                self._add(replayed(event))
            case e.ModelChanged():
                limit = event.window or event.context
                self._figure(model=event.model, context=limit, **self._rested())
                self._add(tellings.model_changed(event))
            case e.Napped():
                self.places.conversation.clear()
                self._waiting.show_again()
                self.places.prefix_bar.clear(tellings.NAPPED)
                self._figure(used=None, cache_share=None, **self._rested())
                self._add(tellings.napped(event))
                self._later_opens()
            case _:
                assert_never(event)

    def _rested(self) -> dict[str, str]:
        """The state after something outside of turns went well."""
        return {} if self._turn_open else {"state": "ready"}

    def _turn(self, event: e.TurnStarted | e.Steered | e.TurnEnded) -> None:
        match event:
            case e.TurnStarted():
                self._begun = self._turn_open = True
                self.last_prompt = event.text
                self._waiting.arrived(event.text)
                self._figure(state="thinking")
            case e.Steered():
                self._waiting.arrived(event.text)
            case e.TurnEnded():
                self._turn_ended(event)
            case _:
                assert_never(event)

    def _turn_ended(self, event: e.TurnEnded) -> None:
        self._reply.cut()
        self._cards.stop()
        for ask in list(self._asked):
            self._asked.pop(ask)
            self._answered(ask)
        unborn = self._turn_open and not self._begun
        self._waiting.give_back(opener=unborn and event.reason == "cancelled")
        if unborn:
            self._waiting.turn_failed_to_start()
        # A cut reply and a failure are told of by who noticed them, with what to do about them.
        if not {"done": True, "length": self._after_notice, "failed": self._told}.get(event.reason):
            self._add(tellings.turn_ended(event))
        self._begun = self._turn_open = self._told = False
        self.places.plan.turn_ended()
        self._figure(state="failed" if event.reason == "failed" else "ready")
        self._later_opens()

    def _later_opens(self) -> None:
        """What ran has ended: words that waited for it begin the next turn."""
        if not self._turn_open and (words := self._waiting.later_opens()):
            self.last_prompt, self._turn_open = words, True
            self._figure(state="recalling")

    def _memory(
        self, event: e.Recalled | e.PromptBuilt | e.WindowChanged | e.Rebased | e.Warmed
    ) -> None:
        match event:
            case e.Recalled():
                self.recalled = event
                self.places.memory_panel.recalled(event)
                self._add(RecallCard(event))
            case e.PromptBuilt():
                self.places.prefix_bar.prompt(event)
                self._figure(used=event.total, state="thinking")
            case e.WindowChanged():
                self.window = event.items
                self.places.memory_panel.window(event)
            case e.Rebased():
                self._add(tellings.rebased(event))
            case e.Warmed():
                self.places.prefix_bar.warmed(event)
            case _:
                assert_never(event)

    def _request(self, event: e.UsageReported | e.Retrying) -> None:
        match event:
            case e.UsageReported():
                self.places.prefix_bar.usage(event)
                self.figures = self.figures.with_usage(event)
                self._figures_changed(self.figures)
            case e.Retrying():
                if event.shown:
                    self._reply.cut()
                self._figure(state="retrying")
                self._add(tellings.retrying(event))
            case _:
                assert_never(event)

    def _answer(self, event: e.ApprovalAnswered | e.QuestionAnswered) -> None:
        asked = self._asked.pop(event.ask, None)
        self._answered(event.ask)
        state = "thinking"
        if isinstance(event, e.ApprovalAnswered) and isinstance(asked, e.ApprovalAsked):
            self._add(tellings.approval_answered(asked, event))
            state = "thinking" if event.choice == "no" else f"running {asked.name}"
        elif isinstance(event, e.QuestionAnswered) and isinstance(asked, e.QuestionAsked):
            self._add(Notice(f"{asked.question}\n{event.answer}", "good"))
        self._figure(state="waiting for you" if self._asked else state)

    def _add(self, widget: Widget) -> None:
        self.places.conversation.add(widget)

    def _turns_to(self, state: str) -> None:
        if state and state != self.figures.state:
            self._figure(state=state)

    def _figure(self, **changes: object) -> None:
        self.figures = replace(self.figures, **changes)  # type: ignore[arg-type]
        self._figures_changed(self.figures)
