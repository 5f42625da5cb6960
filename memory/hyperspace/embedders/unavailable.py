"""What an embedder raises when it cannot serve on this machine."""

from __future__ import annotations


class EmbedderUnavailable(Exception):
    """The weights, the tokenizer or the engine are missing, or not what they should be. The text
    says which."""
