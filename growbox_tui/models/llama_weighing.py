"""Weighing: how likely a loaded model takes given tokens to follow what stands in its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from growbox_tui.models.protocol import BadReply

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def weigh(cpp: Any, context: Any, vocab: Any, tokens: Sequence[int], standing: int) -> float:
    """Evaluate ``tokens`` behind the ``standing`` ones of sequence 0, the last of which was
    evaluated with its logits; the sum of their log-probabilities. Raises ``BadReply``."""
    import numpy as np

    width = int(cpp.llama_vocab_n_tokens(vocab))
    # Copied: the next evaluation writes over it.
    ahead = [_logits(cpp, context, -1, width).copy()]
    batch = cpp.llama_batch_init(len(tokens), 0, 1)
    try:
        batch.n_tokens = len(tokens)
        for number, token in enumerate(tokens):
            batch.token[number] = token
            batch.pos[number] = standing + number
            batch.n_seq_id[number] = 1
            batch.seq_id[number][0] = 0
            batch.logits[number] = 1
        code = cpp.llama_decode(context, batch)
    finally:
        cpp.llama_batch_free(batch)
    if code != 0:
        raise BadReply(f"llama.cpp could not go on (llama_decode returned {code}).")
    ahead += [_logits(cpp, context, number, width) for number in range(len(tokens) - 1)]
    total = 0.0
    for token, logits in zip(tokens, ahead, strict=True):
        highest = float(logits.max())
        total += float(logits[token]) - highest - float(np.log(np.exp(logits - highest).sum()))
    return total


def _logits(cpp: Any, context: Any, number: int, width: int) -> NDArray[np.float32]:
    """Shape (width,): of the token of that number in the newest batch, -1 being the last."""
    import numpy as np

    pointer = cpp.llama_get_logits_ith(context, number)
    if not pointer:
        raise BadReply("llama.cpp kept no logits.")
    return np.ctypeslib.as_array(pointer, shape=(width,))
