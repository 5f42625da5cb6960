from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from memory import Memory
from memory.config import MOST_TOOL_PIECES, PIECE_TOKENS
from memory.recollection import Query
from memory.store import pieces
from memory.store.database import Database
from memory.tokens import estimate
from memory.types import NewNode, Node
from tests.doubles.embedding import LetterEmbedder
from tests.doubles.patience import FOR_EVER

TALE = " ".join(f"Sentence {n} tells of the {n}th day at sea and of the wind." for n in range(60))


class Told:
    """Answers what it is told to, and remembers what it was shown."""

    def __init__(self, *answers: object, window: int = 10_000) -> None:
        self.answers, self.window = list(answers), window
        self.shown: list[list[str]] = []

    async def breaks(self, sentences: Sequence[str]) -> Sequence[int]:
        self.shown.append(list(sentences))
        answer = self.answers.pop(0) if self.answers else []
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder("letters/1"))
    yield opened
    await opened.close()


async def parts(memory: Memory, node: Node) -> list[str]:
    def read(db: Database) -> list[str]:
        places = [piece.place for piece in pieces.pieces_of(db, node.seq)]
        return list(pieces.text_of(db, places).values())

    return await memory._reader.run(read)


async def test_a_text_breaks_where_the_model_says_and_wherever_it_is_too_large(
    memory: Memory,
) -> None:
    # row 18
    node = await memory.remember(NewNode("user", TALE))

    count = await memory.recut(node.address, Told([2, 31]))

    cut = await parts(memory, node)
    assert len(cut) == count > 3
    assert "".join(cut) == TALE
    assert cut[0].strip().endswith("1th day at sea and of the wind.")
    assert any(text.startswith("Sentence 31 ") for text in cut)
    assert max(map(estimate, cut)) <= 1.3 * PIECE_TOKENS + 1


@pytest.mark.parametrize(
    "answer", [[], [0, -3, 999], ["two", None, 2.5, True], "not sure", None, RuntimeError("down")]
)
async def test_nonsense_and_errors_are_as_good_as_no_answer(memory: Memory, answer: object) -> None:
    # row 19
    # row 20: the answer []
    node = await memory.remember(NewNode("user", TALE))
    before = await parts(memory, node)

    assert await memory.recut(node.id, Told(answer)) == len(before) >= 2

    assert await parts(memory, node) == before


async def test_a_long_text_is_shown_in_parts_and_a_part_that_fails_leaves_the_others(
    memory: Memory,
) -> None:
    node = await memory.remember(NewNode("user", TALE))
    chooser = Told(OSError("down"), [0, 1], window=400)

    await memory.recut(node.id, chooser)

    assert "".join(text for part in chooser.shown for text in part) == TALE
    assert len(chooser.shown) > 1
    assert any(text.startswith(chooser.shown[1][0]) for text in await parts(memory, node))


async def test_output_of_tools_and_what_is_short_is_never_shown_to_a_model(memory: Memory) -> None:
    chooser = Told()
    output = "".join(f"12:00 step {n} of the build\n" for n in range(8_000))
    tool = await memory.remember(NewNode("tool", output, kind="read_file"))
    short = await memory.remember(NewNode("user", "short"))

    assert 1 < await memory.recut(tool.id, chooser) <= MOST_TOOL_PIECES
    assert await memory.recut(short.id, chooser) == 0

    assert chooser.shown == []


async def test_what_is_not_there_cannot_be_cut(memory: Memory) -> None:
    with pytest.raises(LookupError):
        await memory.recut("mem://nosuchnode00", Told())


async def test_a_text_that_was_cut_anew_is_found_and_embedded_in_its_new_pieces(
    memory: Memory,
) -> None:
    node = await memory.remember(NewNode("user", TALE))
    await memory.settle(FOR_EVER)
    await memory.recut(node.id, Told([2]))

    assert await memory.settle(FOR_EVER) == len(await parts(memory, node))

    found = await memory.recall(Query("what tells of the 57th day?"))
    (hit,) = found.hits
    assert hit.piece is not None
    assert "Sentence 57" in node.text[slice(*hit.piece)]
    assert (await memory.state()).embedded == len(await parts(memory, node))
