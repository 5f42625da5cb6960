"""Tool calls from fragments: which fragment belongs to which call.

Providers disagree about ids and indexes, and a wrong guess merges two commands into one. An id
that was not seen yet starts a call. Fragments without an id go by their index, and without both to
the newest call. A fragment with a name, after arguments that are already whole, is a new call.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from growbox_tui.agent.messages import ToolCall
from growbox_tui.models.arguments import is_whole, read_arguments
from growbox_tui.models.pieces import mend

MAX_CALLS = 32
"""Calls in one reply that may run; the rest are answered with "too many calls"."""


@dataclass(slots=True)
class CallSlot:
    """A call that is being put together."""

    id: str
    index: int | None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    fault: str = ""

    @property
    def arguments(self) -> str:
        """The argument text so far."""
        return "".join(self.pieces)


class CallSlots:
    """All calls of one reply."""

    def __init__(self) -> None:
        self._slots: list[CallSlot] = []

    def __bool__(self) -> bool:
        return any(slot.name or slot.arguments for slot in self._slots)

    def add(
        self, call_id: str, index: int | None, name: str, arguments: str, fault: str = ""
    ) -> CallSlot:
        """Put a fragment where it belongs, and return that call."""
        slot = self._find(call_id, index, name, arguments)
        if slot is None:
            slot = CallSlot(call_id, index)
            self._slots.append(slot)
        slot.id = slot.id or call_id
        slot.fault = slot.fault or fault
        if name and name != slot.name and not slot.pieces:
            slot.name = name if name.startswith(slot.name) else slot.name + name
        if arguments:
            # Some gateways open a call with "{}" and send the real arguments behind it.
            if slot.pieces == ["{}"] and arguments.lstrip().startswith("{"):
                slot.pieces.clear()
            slot.pieces.append(arguments)
        return slot

    def _find(self, call_id: str, index: int | None, name: str, arguments: str) -> CallSlot | None:
        slot = self._by_key(call_id, index, name)
        if slot is None or not name or not slot.pieces:
            return slot
        another = name != slot.name or (bool(arguments) and is_whole(slot.arguments))
        return None if another else slot

    def _by_key(self, call_id: str, index: int | None, name: str) -> CallSlot | None:
        for slot in reversed(self._slots):
            same_index = index is None or slot.index is None or slot.index == index
            if call_id and slot.id == call_id and same_index:
                return slot
            if not call_id and (index is None or slot.index == index):
                return slot
            late_id = call_id and not slot.id and not name and slot.index == index
            if late_id:
                return slot
        return None

    def finish(self, taken: Collection[str]) -> tuple[list[ToolCall], dict[str, str]]:
        """The calls, each with an id that is unique in the conversation, and call id → fault for
        those that must not run. ``taken`` holds the ids of earlier turns. Empty slots vanish."""
        used = set(taken)
        calls: list[ToolCall] = []
        broken: dict[str, str] = {}
        for slot in self._slots:
            if not slot.name and not slot.arguments.strip():
                continue
            call_id = _unique(mend(slot.id) or f"call_{len(calls)}", used)
            used.add(call_id)
            text, fault = read_arguments(slot.arguments)
            fault = slot.fault or fault
            if not slot.name:
                fault = "the call names no tool"
            elif len(calls) >= MAX_CALLS:
                fault = f"too many calls: at most {MAX_CALLS} in one reply"
            if fault:
                broken[call_id] = fault
            calls.append(ToolCall(call_id, mend(slot.name) or "unnamed", text))
        return calls, broken


def _unique(call_id: str, used: Collection[str]) -> str:
    if call_id not in used:
        return call_id
    number = 2
    while f"{call_id}_{number}" in used:
        number += 1
    return f"{call_id}_{number}"
