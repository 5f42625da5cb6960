"""Window view: what the model has before it, for the memory panel."""

from __future__ import annotations

import re

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import WindowChanged, WindowItemView
from growbox_tui.agent.messages import Text, ToolResult, message_from_json


def show_window(talk: Conversation) -> None:
    """Tell what the model has before it."""
    items = []
    pinned, dropped = set(talk.window.pinned), talk.window.evicted
    for node_id, heat, place, tokens in talk.window.hottest():
        label, at = talk.labels.get(node_id) or _label_from_prompt(talk, node_id)
        wanted = node_id in pinned, node_id in dropped
        items.append(WindowItemView(f"mem://{node_id}", label, at, heat, tokens, place, *wanted))
    talk.publish(WindowChanged(tuple(items)))


def _label_from_prompt(talk: Conversation, node_id: str) -> tuple[str, str]:
    """First words and time of a memory that an earlier process rendered."""
    epoch = talk.window.epoch
    bodies = [item.body for item in epoch.items if item.node == node_id] if epoch else []
    bodies += [
        part.text if isinstance(part, Text) else part.content
        for entry in talk.window.entries
        if node_id in entry.shows
        for part in message_from_json(entry.body).parts
        if isinstance(part, Text | ToolResult)
    ]
    for body in bodies:
        found = re.search(rf"mem://{node_id} ([\d-]+ [\d:]+)[^\n]*\n([^\n]*)", body)
        if found:
            talk.labels[node_id] = (found[2][:80], found[1])
            return talk.labels[node_id]
    # Not looked for again at each request: it stands there in no form that could be read.
    talk.labels[node_id] = (node_id, "")
    return talk.labels[node_id]
