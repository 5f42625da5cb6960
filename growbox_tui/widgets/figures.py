"""How numbers, times, paths and other people's words are written in the chrome.

Everything here is measured in terminal cells. Fixed chrome uses only signs whose width is the
same in every terminal: the middle dot, the ellipsis and most line-drawing signs are two cells
wide where East Asian fonts are set so, and would push what stands to their right.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from rich.cells import cell_len, chop_cells

from growbox_tui.widgets.safe_text import one_line

DOT = " \u22c5 "
"""Separator: the dot operator, which looks like a middle dot and is one cell everywhere."""
CUT = "..."
HEAT = ("█", "▓", "░")
"""Hot, warm, cool, for those who see no colour. They lead a row and nothing is aligned by them."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def count(number: int) -> str:
    """Tokens and the like, short: ``312``, ``9.0k``, ``128k``, ``1.2M``."""
    if abs(number) < 1000:
        return str(number)
    for limit, unit, sign in ((999_950, 1000, "k"), (10**18, 1_000_000, "M")):
        if abs(number) < limit:
            value = number / unit
            text = f"{value:.1f}" if abs(value) < 99.95 else f"{value:.0f}"
            return text + sign
    return str(number)


def size(number: int) -> str:
    """Bytes: ``512 B``, ``4.2 KiB``, ``1.5 MiB``."""
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def money(cost: float | None) -> str:
    """US dollars; a cost that is not known is said to be so, never shown as nothing."""
    if cost is None:
        return "cost unknown"
    if 0 < cost < 0.01:
        return "<$0.01"
    return f"${cost:,.2f}"


def dollars(amount: float | None) -> str:
    """US dollars in at most eight cells up to a million, for a column: ``$0.0041``, ``-$1.20``,
    ``$1.2k``; ``unknown`` where they are not known."""
    if amount is None:
        return "unknown"
    size = abs(amount)
    sign = "-" if amount < 0 else ""
    if size < 0.00005:
        return "$0"
    if size < 1:
        return f"{sign}${size:.4f}"
    return f"{sign}${size:.2f}" if size < 1000 else f"{sign}${count(round(size))}"


def percent(share: float) -> str:
    """``0.873`` as ``87 %``. Only a full share is ``100 %``, only an empty one ``0 %``."""
    whole = round(share * 100)
    if share < 1:
        whole = min(whole, 99)
    if share > 0:
        whole = max(whole, 1)
    return f"{whole} %"


def when(at: str, now: datetime, zone: tzinfo | None = None) -> str:
    """An event's UTC ``YYYY-MM-DD HH:MM`` as ``14:02`` today, ``3 May`` within the last eleven
    months, else ``2024``.

    ``zone`` is where the reader is; ``None`` is the system's own. Text of another form comes
    back as it is.
    """
    try:
        moment = datetime.strptime(at, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).astimezone(zone)
    except ValueError:
        return one_line(at)
    days = (now.astimezone(zone).date() - moment.date()).days
    if days == 0:
        return f"{moment:%H:%M}"
    if abs(days) < 335:
        return f"{moment.day} {_MONTHS[moment.month - 1]}"
    return str(moment.year)


def stamp(milliseconds: int) -> str:
    """Milliseconds since the epoch as the events write times: UTC ``YYYY-MM-DD HH:MM``."""
    from memory.context.render import minute

    return minute(milliseconds)


def fit(text: str, cells: int) -> str:
    """``text`` if it takes at most ``cells`` cells, else its beginning and ``...``."""
    if cell_len(text) <= cells:
        return text
    if cells <= len(CUT):
        return CUT[: max(0, cells)]
    return chop_cells(text, cells - len(CUT))[0].rstrip() + CUT


def fit_left(text: str, cells: int) -> str:
    """Like ``fit``, but the end is what stays: for addresses and names whose end tells most."""
    if cell_len(text) <= cells:
        return text
    if cells <= len(CUT):
        return CUT[: max(0, cells)]
    kept = text
    while cell_len(kept) > cells - len(CUT):
        kept = kept[1:]
    return CUT + kept


def pad(text: str, cells: int) -> str:
    """Exactly ``cells`` cells, the text on the left."""
    text = fit(text, cells)
    return text + " " * (cells - cell_len(text))


def pad_left(text: str, cells: int) -> str:
    """Exactly ``cells`` cells, the text on the right: for numbers."""
    text = fit(text, cells)
    return " " * (cells - cell_len(text)) + text


def short_path(path: str, home: str, cells: int) -> str:
    """A folder with ``~`` for the home folder, leading parts dropped until it fits."""
    path = one_line(path)
    home = home.rstrip("/")
    if home and (path == home or path.startswith(home + "/")):
        path = "~" + path[len(home) :]
    parts = path.split("/")
    while cell_len(path) > cells and len(parts) > 2:
        parts = [CUT, *parts[2:]]
        path = "/".join(parts)
    return fit_left(path, cells)


def short_model(name: str) -> str:
    """``provider/name`` without what stands before the last slash."""
    return one_line(name).rsplit("/", 1)[-1]


def heat_rank(heat: float, hottest: float) -> int:
    """0 hot, 1 warm, 2 cool, by the share of the hottest one's heat."""
    share = heat / hottest if hottest > 0 else 0.0
    return 0 if share >= 2 / 3 else 1 if share >= 1 / 3 else 2


def plural(number: int, one: str, many: str = "") -> str:
    """``1 memory``, ``3 memories``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
