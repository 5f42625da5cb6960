"""Places: the widgets that a router serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from growbox_tui.widgets.composer import Composer
    from growbox_tui.widgets.conversation import Conversation
    from growbox_tui.widgets.memory_panel import MemoryPanel
    from growbox_tui.widgets.plan_list import PlanList
    from growbox_tui.widgets.prefix_bar import PrefixBar


@dataclass(frozen=True, slots=True)
class Places:
    """One of each, all on the same screen."""

    conversation: Conversation
    composer: Composer
    prefix_bar: PrefixBar
    memory_panel: MemoryPanel
    plan: PlanList
