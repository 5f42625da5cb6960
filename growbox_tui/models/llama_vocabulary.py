"""Vocabulary: a loaded model's tokens, and what its file says of itself."""

from __future__ import annotations

import ctypes
from typing import Any

from growbox_tui.models.llama_prompt import Prompt
from growbox_tui.models.protocol import BadReply


class Vocabulary:
    """Text to tokens and back. It lives no longer than the model it was made of."""

    def __init__(self, cpp: Any, model: Any) -> None:
        """``model`` is llama.cpp's handle of a loaded one."""
        self.handle = cpp.llama_model_get_vocab(model)
        """llama.cpp's own."""
        self._cpp = cpp
        self._model = model

    def metadata(self, key: str) -> str:
        """A text of the file's metadata, empty where it has none."""
        buffer = ctypes.create_string_buffer(1)
        wanted = self._cpp.llama_model_meta_val_str(self._model, key.encode(), buffer, 1)
        if wanted < 0:
            return ""
        buffer = ctypes.create_string_buffer(wanted + 1)
        self._cpp.llama_model_meta_val_str(self._model, key.encode(), buffer, wanted + 1)
        return buffer.value.decode("utf-8", "replace")

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text. Only with ``special`` do names like ``<|im_end|>`` become control
        tokens, so that the words of a file can never end a message."""
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        buffer = (self._cpp.llama_token * size)()
        count = self._cpp.llama_tokenize(self.handle, data, len(data), buffer, size, False, special)
        if count < 0:
            raise BadReply(f"The local model's tokenizer failed on {len(data)} bytes.")
        return list(buffer[:count])

    def prompt(self, prompt: Prompt) -> list[int]:
        """Tokens of a rendered request. Each segment is read apart, so that what follows it never
        changes its tokens."""
        tokens: list[int] = []
        for segment in prompt.segments:
            tokens += self.tokenize(segment.text, special=segment.special)
        first = self.first_token
        if first is not None and tokens[:1] != [first]:
            tokens.insert(0, first)
        return tokens

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes of a token; control tokens have none unless ``special``."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = self._cpp.llama_token_to_piece(self.handle, token, buffer, size, 0, special)
            if count >= 0:
                return bytes(buffer.raw[:count])
            size = -count

    def is_end(self, token: int) -> bool:
        """Whether the model ends its reply with this token."""
        return bool(self._cpp.llama_vocab_is_eog(self.handle, token))

    def is_control(self, token: int) -> bool:
        """Whether the token is no text but a mark of the chat format."""
        return bool(self._cpp.llama_vocab_is_control(self.handle, token))

    @property
    def first_token(self) -> int | None:
        """The token that every prompt of this model begins with, if it wants one."""
        if not self._cpp.llama_vocab_get_add_bos(self.handle):
            return None
        return int(self._cpp.llama_vocab_bos(self.handle))

    def mark(self, which: str) -> str:
        """The text of the ``bos`` or ``eos`` token, empty where there is none."""
        token = getattr(self._cpp, f"llama_vocab_{which}")(self.handle)
        return "" if token < 0 else self.piece(token, special=True).decode("utf-8", "replace")
