"""Late hands: tools that arrive after the prompt was fixed.

The list of tools at the prompt's front never changes for them. They are announced behind the
conversation, with the next words of the user's, and called through ``call_tool``.
"""

from __future__ import annotations

from collections.abc import Sequence

from executors.protocol import Executor
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import HandsArrived


def arrive(talk: Conversation, hands: Sequence[Executor]) -> None:
    """Take in hands, by name, and tell of them. Raises ``ValueError`` where one of that name is
    there already; those before it have arrived then, and are told."""
    arrived = []
    try:
        for hand in sorted(hands, key=lambda hand: hand.spec.name):
            talk.dispatch.hands.arrive(hand)
            arrived.append(hand.spec.name)
    finally:
        if arrived:
            talk.publish(HandsArrived(tuple(arrived)))


def leave(talk: Conversation, names: Sequence[str]) -> None:
    """Let go of hands that had arrived; the model hears of it with the user's next words. Raises
    ``KeyError`` where one of that name had not."""
    for name in names:
        talk.dispatch.hands.leave(name)
