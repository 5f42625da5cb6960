"""Sampling: how a local model's next token is drawn, freely or under a grammar."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from growbox_tui.models.protocol import BadReply

SEED = 7
"""Fixed: the same prompt gives the same answer."""
PENALTY_SPAN = 64
"""How many tokens back a repeat is made less likely."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next token is drawn."""

    temperature: float
    repeat_penalty: float = 1.0
    """1 is off. Calls are always written without it: JSON must repeat its signs."""
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05


@contextmanager
def free(
    cpp: Any, vocab: Any, context: Callable[[], Any], sampling: Sampling
) -> Iterator[Callable[[], int]]:
    """Draws any token. ``context`` gives the context that holds the newest logits."""
    stages = []
    if sampling.repeat_penalty != 1.0:
        count = cpp.llama_vocab_n_tokens(vocab)
        stages.append(
            cpp.llama_sampler_init_penalties(count, PENALTY_SPAN, sampling.repeat_penalty, 0.0, 0.0)
        )
    with _chain(cpp, [*stages, *_stages(cpp, sampling)]) as chain:
        yield lambda: int(cpp.llama_sampler_sample(chain, context(), -1))


@contextmanager
def guided(
    cpp: Any, vocab: Any, context: Callable[[], Any], sampling: Sampling, grammar: str
) -> Iterator[Callable[[], int]]:
    """Draws only tokens that ``grammar`` (GBNF, rule ``reply``) allows.

    A token is drawn freely first and kept if the grammar takes it, which it mostly does: asking
    the grammar about the whole vocabulary costs more than evaluating the token.
    Raises ``BadReply`` if llama.cpp cannot read the grammar.
    """
    rules = cpp.llama_sampler_init_grammar(vocab, grammar.encode(), b"reply")
    if not rules:
        raise BadReply("llama.cpp does not accept the grammar of the tools.")
    plain = replace(sampling, repeat_penalty=1.0)
    with (
        _chain(cpp, [rules, *_stages(cpp, plain)]) as strict,
        free(cpp, vocab, context, plain) as draw_any,
    ):

        def draw() -> int:
            token = draw_any()
            if not _allows(cpp, rules, token):
                return int(cpp.llama_sampler_sample(strict, context(), -1))
            cpp.llama_sampler_accept(rules, token)
            return token

        yield draw


def _stages(cpp: Any, sampling: Sampling) -> list[Any]:
    return [
        cpp.llama_sampler_init_top_k(sampling.top_k),
        cpp.llama_sampler_init_top_p(sampling.top_p, 1),
        cpp.llama_sampler_init_min_p(sampling.min_p, 1),
        cpp.llama_sampler_init_temp(sampling.temperature),
        cpp.llama_sampler_init_dist(SEED),
    ]


@contextmanager
def _chain(cpp: Any, stages: list[Any]) -> Iterator[Any]:
    """The stages as one sampler, which owns and frees them."""
    chain = cpp.llama_sampler_chain_init(cpp.llama_sampler_chain_default_params())
    for stage in stages:
        cpp.llama_sampler_chain_add(chain, stage)
    try:
        yield chain
    finally:
        cpp.llama_sampler_free(chain)


def _allows(cpp: Any, rules: Any, token: int) -> bool:
    """Whether the grammar takes this token now: what it forbids it makes infinitely unlikely."""
    one = (cpp.llama_token_data * 1)(cpp.llama_token_data(token, 1.0, 0.0))
    candidates = cpp.llama_token_data_array(one, 1, -1, False)
    cpp.llama_sampler_apply(rules, ctypes.byref(candidates))
    return not math.isinf(one[0].logit)
