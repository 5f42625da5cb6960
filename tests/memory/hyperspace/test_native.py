from __future__ import annotations

import subprocess
import sys

import pytest

EMBEDDING_AT_THE_END = """
import threading
from memory.hyperspace.embedders.{module} import {name}

embedder, begun = {name}(), threading.Event()

def embed():
    while True:
        embedder.embed(["The pruning job skips branch nodes. " * 20] * 8)
        begun.set()

for _ in range(2):
    threading.Thread(target=embed, daemon=True).start()
begun.wait()
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [("sentence_embedder", "SentenceEmbedder"), ("static_embedder", "StaticEmbedder")],
)
def test_a_process_ends_well_while_a_thread_embeds(module: str, name: str) -> None:
    script = EMBEDDING_AT_THE_END.format(module=module, name=name)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
