"""StatusLine: what is going on, who speaks, what it cost, how full the context is.

The throbber before the state word is the only thing on the screen that moves by itself: four
times a second while something is going on, and not at all when nothing is.
"""

from __future__ import annotations

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from growbox_tui.widgets.figures import DOT, count, fit, money, percent, short_model
from growbox_tui.widgets.safe_text import one_line

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧"
PERIOD = 0.25
"""Seconds between two frames of the throbber."""
RESTING = frozenset({"", "ready", "idle", "done", "stopped", "failed", "waiting", "asking", "demo"})
"""First words of states in which nothing is under way, or only the user can go on."""
GAUGE = 8
"""Cells of the context gauge."""


def is_moving(state: str) -> bool:
    """Whether something is under way that the user waits for."""
    words = state.lower().split()
    return bool(words) and words[0].strip(".,:;") not in RESTING


def gauge(used: int, context: int) -> int:
    """Filled cells of the gauge: none only when nothing is used, all only when it is full."""
    if used <= 0 or context <= 0:
        return 0
    if used >= context:
        return GAUGE
    return min(GAUGE - 1, max(1, round(GAUGE * used / context)))


class StatusLine(Widget):
    """One line: state on the left, figures on the right; the least needed go first when narrow."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        padding: 0 1;
        color: $text-muted;
        background: $background;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._state = ""
        self._model = ""
        self._cost: float | None = None
        self._used: int | None = None
        self._limit: int | None = None
        self._share: float | None = None
        self._frame = 0
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Start standing still."""
        self._timer = self.set_interval(PERIOD, self._turn, pause=not is_moving(self._state))

    def update_figures(
        self,
        model: str,
        cost: float | None,
        used_tokens: int | None,
        context: int | None,
        cache_read_share: float | None,
        state: str,
    ) -> None:
        """``cost`` in US dollars, ``used_tokens`` of ``context`` tokens, ``cache_read_share`` 0
        to 1; ``None`` is "not known". ``state`` is a word or two: ``thinking``, ``ready``."""
        self._model, self._cost = model, cost
        self._used, self._limit, self._share = used_tokens, context, cache_read_share
        self._state = one_line(state)
        if self._timer is not None:
            if is_moving(self._state):
                self._timer.resume()
            else:
                self._timer.pause()
        self.refresh()

    @property
    def moving(self) -> bool:
        """Whether the throbber turns."""
        return is_moving(self._state)

    def _turn(self) -> None:
        self._frame = (self._frame + 1) % len(FRAMES)
        self.refresh()

    def render(self) -> Content:
        """State, gap, figures."""
        width = self.size.width
        sign = FRAMES[self._frame] + " " if self.moving else ""
        state = fit(self._state, max(0, width // 3))
        left = Content.assemble((sign, "$accent"), (state, "$foreground"))
        room = width - left.cell_length - 2
        right = self._figures(room)
        gap = width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * max(0, gap), right)

    def _figures(self, room: int) -> Content:
        """As many as fit: the provider's name goes first, then the gauge, then the cache's share.
        Before the first prompt there is only the model to name."""
        full, short = one_line(self._model), short_model(self._model)
        for model, with_gauge, with_cache in (
            (full, True, True),
            (short, True, True),
            (short, False, True),
            (short, False, False),
            (fit(short, max(8, room - 24)), False, False),
            ("", False, False),
        ):
            line = self._joined(model, with_gauge, with_cache)
            if line.cell_length <= room:
                return line
        return Content("")

    def _joined(self, model: str, with_gauge: bool, with_cache: bool) -> Content:
        parts = [Content.styled(model, "$foreground")] if model else []
        if self._used is None:
            return Content(DOT).join(parts)
        if self._cost != 0:  # nothing was spent, or nothing is known yet: both say nothing
            parts.append(Content(money(self._cost)))
        parts.append(self._fill(self._used, with_gauge))
        if with_cache:
            share = "not reported" if self._share is None else percent(self._share)
            parts.append(Content(f"cache {share}"))
        return Content(DOT).join(parts)

    def _fill(self, used: int, with_gauge: bool) -> Content:
        if self._limit is None:
            return Content(f"{count(used)} tokens")
        words = Content(f"{count(used)} / {count(self._limit)}")
        if not with_gauge:
            return words
        filled = gauge(used, self._limit)
        ground = "$prefix-broken" if used > 0.9 * self._limit else "$prefix-hit"
        return Content.assemble(
            (" " * filled, f"on {ground}"), (" " * (GAUGE - filled), "on $panel"), " ", words
        )
