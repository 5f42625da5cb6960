"""Events of the Anthropic messages format, read into an assembler; whole answers too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from growbox_tui.models.arguments import as_text, strict_json
from growbox_tui.models.assembler import Assembler
from growbox_tui.models.call_slots import CallSlot
from growbox_tui.models.faults import inband_error, is_error
from growbox_tui.models.openai_body import dumps
from growbox_tui.models.pieces import mapping
from growbox_tui.models.protocol import Delta


class BlockReader:
    """Reads the events of one reply. Thinking blocks are kept as the provider's own JSON, so that
    their signatures go back as they came."""

    def __init__(self, who: str, key_name: str = "") -> None:
        self._who = who
        self._key_name = key_name
        self._blocks: dict[int, dict[str, Any]] = {}
        self._calls: dict[int, CallSlot] = {}

    def read(self, assembler: Assembler, kind: str, value: Any, source: str) -> list[Delta]:
        """The deltas of one event. Raises the ``ModelError`` of an error event and ``ValueError``
        for what is not in the format."""
        if not isinstance(value, Mapping):
            raise ValueError("an event is not a JSON object")
        kind = str(value.get("type") or kind)
        if is_error(value, kind):
            raise inband_error(value, who=self._who, key_name=self._key_name)
        assembler.event(kind == "ping" or kind.startswith(("message_", "content_block_")))
        index = value.get("index")
        at = index if isinstance(index, int) else 0
        if kind == "message_start":
            assembler.usage(mapping(value.get("message")).get("usage"))
        elif kind == "content_block_start":
            return self._start(assembler, at, mapping(value.get("content_block")), source)
        elif kind == "content_block_delta":
            return self._delta(assembler, at, mapping(value.get("delta")))
        elif kind == "message_delta":
            assembler.usage(value.get("usage"))
            if isinstance(reason := mapping(value.get("delta")).get("stop_reason"), str):
                assembler.finish(reason)
        elif kind == "message_stop":
            assembler.closed = True
        return []

    def read_whole(self, assembler: Assembler, kind: str, value: Any, source: str) -> list[Delta]:
        """The deltas of an answer that was not streamed."""
        if not isinstance(value, Mapping):
            raise ValueError("it is not a JSON object")
        if is_error(value, kind):
            raise inband_error(value, who=self._who, key_name=self._key_name)
        content = value.get("content")
        if not isinstance(content, list):
            raise ValueError("it holds no content")
        deltas: list[Delta] = []
        for at, block in enumerate(content):
            deltas += self._start(assembler, at, mapping(block), source)
        assembler.usage(value.get("usage"))
        if isinstance(reason := value.get("stop_reason"), str):
            assembler.finish(reason)
        return deltas

    def _start(
        self, assembler: Assembler, at: int, block: Mapping[str, Any], source: str
    ) -> list[Delta]:
        kind = block.get("type")
        self._blocks[at] = dict(block)
        if kind == "text":
            return self._text(assembler, at, block.get("text"))
        if kind == "thinking":
            deltas = self._thought(assembler, at, block.get("thinking"))
            return [*deltas, *self._keep(assembler, at)]
        if kind == "redacted_thinking":
            return self._keep(assembler, at)
        if kind == "tool_use":
            self._tool(assembler, at, block, source)
        return []

    def _tool(self, assembler: Assembler, at: int, block: Mapping[str, Any], source: str) -> None:
        given, fault = block.get("input"), ""
        if given:
            try:
                strict_json(source)
            except ValueError as error:
                fault = f"the arguments are not valid JSON: {error}"
        call_id, name = block.get("id"), block.get("name")
        assembler.call(
            call_id if isinstance(call_id, str) else "",
            at,
            name if isinstance(name, str) else "",
            as_text(given) if given else "",
            fault,
        )

    def _delta(self, assembler: Assembler, at: int, delta: Mapping[str, Any]) -> list[Delta]:
        kind = delta.get("type")
        block = self._blocks.setdefault(at, {})
        if kind == "text_delta":
            return self._text(assembler, at, delta.get("text"))
        if kind == "thinking_delta":
            thought = delta.get("thinking")
            if isinstance(thought, str):
                block["thinking"] = str(block.get("thinking") or "") + thought
            return [*self._thought(assembler, at, thought), *self._keep(assembler, at)]
        if kind == "signature_delta" and isinstance(delta.get("signature"), str):
            block["signature"] = str(block.get("signature") or "") + delta["signature"]
            return self._keep(assembler, at)
        if kind == "input_json_delta" and isinstance(delta.get("partial_json"), str):
            assembler.call("", at, "", delta["partial_json"])
        return []

    def _text(self, assembler: Assembler, at: int, text: Any) -> list[Delta]:
        return assembler.text(text, ("text", at)) if isinstance(text, str) and text else []

    def _thought(self, assembler: Assembler, at: int, text: Any) -> list[Delta]:
        return assembler.thinking(text, ("thought", at)) if isinstance(text, str) and text else []

    def _keep(self, assembler: Assembler, at: int) -> list[Delta]:
        """Keep the block as it stands, once it carries what makes it acceptable to the provider."""
        block = self._blocks[at]
        signed = block.get("signature") or block.get("type") == "redacted_thinking"
        assembler.opaque(dumps(block) if signed else "", ("thought", at))
        return []
