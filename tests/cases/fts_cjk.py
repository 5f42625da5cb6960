"""``fts_cjk_cases.jsonl``: a memory of ten documents is asked in four languages.

Each row's query goes through ``Memory.recall``; it passes when every document that must be found
is among the hits, and when nothing is raised.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memory import Memory
from memory.recollection import Query
from memory.types import NewNode
from tests.cases.verdict import Verdict, failed, passed, rows, short

DOCUMENTS = "fts_cjk_docs.json"
GIVEN = Path(__file__).resolve().parents[3] / "shared/cases/growbox-anchor-cases" / DOCUMENTS
"""Where the documents lie when a file of cases comes without them."""


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    beside = path.parent / DOCUMENTS
    documents = json.loads((beside if beside.exists() else GIVEN).read_text(encoding="utf-8"))
    yield from asyncio.run(judged(path, documents))


async def judged(path: Path, documents: list[str]) -> list[Verdict]:
    """Remember the documents, ask every row's question."""
    with tempfile.TemporaryDirectory() as folder:
        memory = await Memory.open(Path(folder) / "memory.db")
        try:
            ids = [(await memory.remember(NewNode("user", text))).id for text in documents]
            return [
                await asked(
                    memory, case, row["query"], {ids[at] for at in row["must_include_docs"]}
                )
                for case, row in rows(path)
            ]
        finally:
            await memory.close()


async def asked(memory: Memory, case: str, question: str, wanted: set[str]) -> Verdict:
    """Whether the question finds all of these nodes."""
    try:
        found = await memory.recall(Query(question))
    except Exception as error:  # noqa: BLE001 a row may break anything
        return failed(case, f"{short(question)} raised {error!r}")
    missing = wanted - {hit.node.id for hit in found.hits}
    if not missing:
        return passed(case)
    texts = [hit.node.text for hit in found.hits]
    return failed(
        case, f"{short(question)} missed {len(missing)} of {len(wanted)}; got {short(texts)}"
    )
