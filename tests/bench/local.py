"""Whether the local voice foresees its own cache, and how soon a new process goes on.

First a number of calls of the bundled model (growing conversations, edits at random places, equal
prompts, unrelated ones, replies that are cancelled, contexts that double): for how many the
evaluated tokens, as llama.cpp counted them, were foreseen to within one. Then a prefix of some
2,000 tokens in three processes: read cold, kept at the end, taken up again. Times are of the
request alone: the model is loaded before. Exit code 1 when any call was not foreseen, or resuming
took more than a tenth of the cold time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

from growbox_tui.agent.messages import Message, Text
from growbox_tui.models.llama_model import LlamaModel
from growbox_tui.models.protocol import Reply, Request
from tests.bench.figures import Figures
from tests.doubles.calls import Foreseen, foresee

WORDS = "The oak, the elm and the ash stand by the river where the mill was built. "
QUESTIONS = (
    "Which trees are named?",
    "Where was the mill built, and which of the trees by the river could its beams be made of? "
    "Answer in one sentence, and name the page on which it stands.",
)
MOST_SHARE = 0.1
"""Of the cold time that resuming may take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--calls", type=int, default=100, help="calls that end (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=2000, help="of the resumed prefix (2000)")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures, and whether all was as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(called(Path(folder), given.calls, given.seed))
    ended = [each for each in found if each.served is not None]
    right = sum(each.right for each in ended)
    for each in ended:
        if not each.right:
            print(f"{each.kind}: foreseen {each.foreseen} of {each.tokens}, served {each.served}")
    with tempfile.TemporaryDirectory() as folder:
        cold, resumed = (process(Path(folder), given.tokens, each) for each in QUESTIONS)
    ratio = resumed["seconds"] / cold["seconds"]
    figures: Figures = {
        "calls": len(ended),
        "cancelled": len(found) - len(ended),
        "foreseen_within_one": right,
        "served_share": sum(each.served or 0 for each in ended) / sum(e.tokens for e in ended),
        "largest_prompt": max(each.tokens for each in found),
        "prefix_tokens": int(cold["tokens"]),
        "file_mb": cold["file_mb"],
        "close_s": cold["close_s"],
        "cold_s": cold["seconds"],
        "resumed_s": resumed["seconds"],
        "resumed_evaluated": int(resumed["evaluated"]),
        "resumed_foreseen": int(resumed["foreseen"]),
        "resumed_share": ratio,
    }
    wrong = abs(resumed["foreseen"] - resumed["evaluated"]) > 1
    return figures, right == len(ended) and ratio <= MOST_SHARE and not wrong


async def called(folder: Path, count: int, seed: int) -> list[Foreseen]:
    """So many calls of the bundled model."""
    model = LlamaModel(prefixes=folder)
    try:
        return await foresee(model, count, seed)
    finally:
        await model.close()


# ---- across processes ----------------------------------------------------------------------------


def process(folder: Path, tokens: int, question: str) -> dict[str, float]:
    """Figures of a new process that asks a question after a prefix of so many tokens."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.local", str(folder), str(tokens), question],
        capture_output=True,
        text=True,
        check=True,
    )
    told: dict[str, float] = json.loads(done.stdout)
    return told


async def go_on(folder: Path, tokens: int, question: str) -> dict[str, float]:
    """Load the model, ask once, keep the prefix."""
    model = LlamaModel(prefixes=folder)
    # A token or so for each word and sign.
    text = WORDS * (tokens // 18)
    request = Request((), (text,), (Message("user", (Text(question),)),), "", 1)
    told = await model.foresee(request)  # Loads the model.
    assert told is not None
    begun = time.monotonic()
    async with aclosing(model.stream(request)) as deltas:  # type: ignore[type-var]
        reply = [delta async for delta in deltas][-1]
    seconds = time.monotonic() - begun
    assert isinstance(reply, Reply) and reply.usage is not None
    begun = time.monotonic()
    await model.close()
    closed = time.monotonic() - begun
    size = sum(path.stat().st_size for path in folder.glob("*.prefix"))
    return {
        "tokens": told[0],
        "foreseen": told[0] - told[1],
        "evaluated": told[0] - (reply.usage.cache_read or 0),
        "seconds": seconds,
        "close_s": closed,
        "file_mb": size / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(go_on(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))))
