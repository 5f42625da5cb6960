"""One split of the protocol from end to end: files, arms, the stream, and its figures."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memory.hyperspace.spaces import spaces
from memory.protocols import Embedder
from memory.recollection import Rung
from tests.bench.learning.arms import Arm, Bench, Over
from tests.bench.learning.corpus import Corpus
from tests.bench.learning.figures import Rows
from tests.bench.learning.memories import Asked, ExactMemo, IdealMemo, NearestKeys, Plain, Reference
from tests.bench.learning.mix import Mix
from tests.bench.learning.product import Product
from tests.bench.learning.reader import BUDGET, Answer, Outcome
from tests.bench.learning.store import carry, copied, fill, moved
from tests.bench.learning.stream import Pass, Split, passes, split

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 2 * BUDGET
"""Places of a ranking that a reader may want."""

REFERENCES: Mapping[str, Callable[[], Reference]] = {
    "none": Plain,
    "exact": ExactMemo,
    "blind": lambda: NearestKeys(blind=True),
    "reference": NearestKeys,
    "ideal": IdealMemo,
}
"""Name → a memory that knows nothing yet."""


@dataclass(slots=True)
class Ground:
    """What all splits share: the corpus, its memory file and the memory-less searches."""

    corpus: Corpus
    folder: Path
    embedder: Embedder
    file: Path
    mix: Mix
    plain: Product
    found: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def vector(self, text: str) -> NDArray[np.float32]:
        """Of a question, unit length."""
        return vector_of(self.embedder, text)

    async def search(self, text: str) -> tuple[int, ...]:
        """The product's ranking without anything learned; asked once a text."""
        if text not in self.found:
            self.found[text] = (await self.plain.ask(text)).ranked
        return self.found[text]


@dataclass(slots=True)
class Own:
    """The product in the stream; when the evidence moves its file goes on with other words."""

    ground: Ground
    file: Path
    drifted_file: Path
    without: frozenset[Rung]
    complains: bool
    product: Product | None = None
    drifted: bool = False
    blind: bool = False

    async def ask(self, asked: Asked, drifted: bool) -> Answer:
        """What memory brings."""
        return await (await self._open(drifted)).ask(asked.text)

    async def learn(self, asked: Asked, answer: Answer, outcome: Outcome) -> None:
        """Cite what was needed."""
        await (await self._open(self.drifted)).learn(answer, outcome)

    async def close(self) -> None:
        """Close the file."""
        if self.product is not None:
            await self.product.close()

    async def _open(self, drifted: bool) -> Product:
        if self.product is not None and drifted == self.drifted:
            return self.product
        await self.close()
        file = self.file
        if drifted:
            carry(self.file, self.drifted_file)
            file = self.drifted_file
        self.drifted = drifted
        self.product = await Product.open(
            file, self.ground.embedder, without=self.without, complains=self.complains
        )
        return self.product


@dataclass(slots=True)
class Field:
    """One split, ready for arms."""

    ground: Ground
    split: Split
    seed: int
    bench: Bench
    drifted: Path | None
    """A memory file after the move; ``None`` where nothing moves."""
    mixed: Callable[[str, bool], Awaitable[tuple[int, ...]]]
    """The ranking that the reference figures were made with."""

    async def own(
        self,
        name: str,
        lies: float = 0.0,
        without: Iterable[Rung] = (),
        complains: bool = False,
        only: Callable[[Pass], bool] | None = None,
    ) -> dict[str, Rows]:
        """The stream with the product's memory, from nothing."""
        folder = self.ground.folder
        file = copied(self.ground.file, folder / f"{name}-{self.seed}.db")
        drifted = folder / f"{name}-{self.seed}-drifted.db"
        if self.drifted is not None:
            copied(self.drifted, drifted)
        arm = Own(self.ground, file, drifted, frozenset(without), complains)
        try:
            return await self.run(arm, lies, only)
        finally:
            await arm.close()
            for path in (file, drifted):
                path.unlink(missing_ok=True)

    async def reference(self, name: str, mixed: bool = False) -> dict[str, Rows]:
        """The stream with a reference memory: over the product's ranking, or over that of the
        reference figures, and paired with what the same ranking brings without it."""
        bench = replace(self.bench, base=self.mixed) if mixed else self.bench
        return await self.run(Over(REFERENCES[name](), bench.base), bench=bench)

    async def run(
        self,
        arm: Arm,
        lies: float = 0.0,
        only: Callable[[Pass], bool] | None = None,
        bench: Bench | None = None,
    ) -> dict[str, Rows]:
        """All passes in order, or those that ``only`` takes."""
        bench = bench or self.bench
        chance = random.Random(self.seed + 1)
        rows: dict[str, Rows] = {}
        for one in passes(self.split, self.seed):
            if (one.drifted and self.drifted is None) or (only is not None and not only(one)):
                continue
            rows[one.name] = await bench.paired(arm, one, lies=lies, chance=chance)
        return rows


async def ground(
    corpus: Corpus, folder: Path, embedder: Embedder, stack: AsyncExitStack, file: Path | None
) -> Ground:
    """The corpus in a memory file: made in ``folder``, or the one that was kept of an earlier
    run."""
    import numpy as np

    made = folder / "plain.db"
    if file is not None and file.exists():
        copied(file, made)
    else:
        await fill(made, corpus.turns, embedder)
        if file is not None:
            copied(made, file)
    asked = copied(made, folder / "asked.db")
    plain = await Product.open(asked, embedder, without=frozenset({"pointers"}))
    stack.push_async_callback(plain.close)
    vectors = np.stack([vector_of(embedder, turn.text) for turn in corpus.turns])
    return Ground(corpus, folder, embedder, made, Mix(corpus.turns, vectors), plain)


async def field_of(
    ground: Ground, seed: int, stack: AsyncExitStack, *, drifts: bool = True
) -> Field:
    """A split with its file after the move."""
    import numpy as np

    corpus = ground.corpus
    given = split(corpus, seed)
    turns = moved(corpus.turns, dict(given.trades))
    mixes, found = {False: ground.mix}, {False: ground.search}
    file: Path | None = None
    if drifts:
        file = ground.folder / f"drifted-{seed}.db"
        await fill(file, turns, ground.embedder)
        asked = copied(file, ground.folder / f"drifted-asked-{seed}.db")
        plain = await Product.open(asked, ground.embedder, without=frozenset({"pointers"}))
        stack.push_async_callback(plain.close)
        vectors = np.stack([vector_of(ground.embedder, turn.text) for turn in turns])
        mixes[True] = Mix(turns, vectors)
        found[True] = Ground(
            corpus, ground.folder, ground.embedder, file, mixes[True], plain
        ).search

    async def base(text: str, drifted: bool) -> tuple[int, ...]:
        return await found[drifted](text)

    ranked: dict[tuple[str, bool], tuple[int, ...]] = {}

    async def mixed(text: str, drifted: bool) -> tuple[int, ...]:
        if (text, drifted) not in ranked:
            vector = ground.vector(text)
            ranked[text, drifted] = mixes[drifted].ranked(text, vector, DEPTH)
        return ranked[text, drifted]

    tokens = [turn.tokens for turn in corpus.turns]
    bench = Bench(corpus, given, ground.vector, base, tokens, [turn.tokens for turn in turns])
    return Field(ground, given, seed, bench, file, mixed)


def vector_of(embedder: Embedder, text: str) -> NDArray[np.float32]:
    """The vector of a text in the space that it belongs to."""
    import numpy as np

    made = np.zeros(embedder.dimensions, dtype=np.float32)
    for part in spaces(embedder):
        made = part.embed([text])[0]
        if made.any():
            break
    return made
