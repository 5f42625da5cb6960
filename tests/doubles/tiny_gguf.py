"""A model file of a few megabytes: the bundled model's vocabulary, next to no weights.

It says nonsense, but a thousand tokens take it a moment, and llama.cpp treats it like any other.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from growbox_tui.models.llama_model import bundled_path

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""GGUF's numbers for fixed-size types, and their bytes."""
U32, F32, STRING, ARRAY = 4, 6, 8, 9
WIDTH, INNER = 64, 64
ALIGNMENT = 32


def tiny(path: Path, *, context: int = 8192, recurrent: bool = False, seed: int = 1) -> Path:
    """Write such a file; ``recurrent`` makes it one of the kind that cannot forget a part."""
    kind = "mamba" if recurrent else "llama"
    vocabulary = [
        raw for key, raw in _keys(bundled_path()) if not key.startswith(("llama.", "general."))
    ]
    tokens = next(_count(raw) for raw in vocabulary if b"tokenizer.ggml.tokens" in raw[:40])
    keys = [
        _text("general.architecture", kind),
        *(_number(f"{kind}.{key}", value) for key, value in _shape(kind, context).items()),
        *vocabulary,
    ]
    dice = np.random.default_rng(seed)
    tensors = {
        name: (dice.standard_normal(shape) * 0.2).astype(np.float32)
        for name, shape in _tensors(kind, tokens).items()
    }
    with path.open("wb") as file:
        _write(file, keys, tensors)
    return path


def _shape(kind: str, context: int) -> dict[str, int | float]:
    common: dict[str, int | float] = {
        "block_count": 1,
        "context_length": context,
        "embedding_length": WIDTH,
        "attention.layer_norm_rms_epsilon": 1e-5,
    }
    if kind == "mamba":
        ssm = {"conv_kernel": 4, "inner_size": 2 * WIDTH, "state_size": 16, "time_step_rank": 4}
        more = {"feed_forward_length": 0, "attention.head_count": 0}
        return common | more | {f"ssm.{key}": value for key, value in ssm.items()}
    return common | {
        "feed_forward_length": INNER,
        "attention.head_count": 2,
        "attention.head_count_kv": 1,
        "rope.dimension_count": WIDTH // 2,
    }


def _tensors(kind: str, tokens: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes, rows first."""
    around: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (tokens, WIDTH),
        "output_norm.weight": (WIDTH,),
        "blk.0.attn_norm.weight": (WIDTH,),
    }
    wide = 2 * WIDTH
    inner: dict[str, tuple[int, ...]] = (
        {
            "ssm_in.weight": (2 * wide, WIDTH),
            "ssm_conv1d.weight": (wide, 4),
            "ssm_conv1d.bias": (wide,),
            "ssm_x.weight": (4 + 2 * 16, wide),
            "ssm_dt.weight": (wide, 4),
            "ssm_dt.bias": (wide,),
            "ssm_a": (wide, 16),
            "ssm_d": (wide,),
            "ssm_out.weight": (WIDTH, wide),
        }
        if kind == "mamba"
        else {
            "attn_q.weight": (WIDTH, WIDTH),
            "attn_k.weight": (WIDTH // 2, WIDTH),
            "attn_v.weight": (WIDTH // 2, WIDTH),
            "attn_output.weight": (WIDTH, WIDTH),
            "ffn_norm.weight": (WIDTH,),
            "ffn_gate.weight": (INNER, WIDTH),
            "ffn_up.weight": (INNER, WIDTH),
            "ffn_down.weight": (WIDTH, INNER),
        }
    )
    return around | {f"blk.0.{name}": shape for name, shape in inner.items()}


# ---- the format ----------------------------------------------------------------------------------


def _write(file: BinaryIO, keys: list[bytes], tensors: dict[str, np.ndarray]) -> None:
    file.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys))
    offset = 0
    for name, values in tensors.items():
        shape = values.shape[::-1]
        file.write(struct.pack("<Q", len(name)) + name.encode())
        file.write(struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset))
        offset += -(-values.nbytes // ALIGNMENT) * ALIGNMENT
    for values in tensors.values():
        file.write(b"\0" * (-file.tell() % ALIGNMENT))
        file.write(values.tobytes())


def _text(key: str, value: str) -> bytes:
    head = struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", STRING)
    return head + struct.pack("<Q", len(value)) + value.encode()


def _number(key: str, value: int | float) -> bytes:
    head = struct.pack("<Q", len(key)) + key.encode()
    if isinstance(value, float):
        return head + struct.pack("<If", F32, value)
    return head + struct.pack("<II", U32, value)


def _keys(path: Path) -> Iterator[tuple[str, bytes]]:
    """Each key of a GGUF file, and all its bytes."""
    with path.open("rb") as file:
        _, _, count = struct.unpack("<QQQ", file.read(24))
        for _ in range(count):
            start = file.tell()
            (length,) = struct.unpack("<Q", file.read(8))
            key = file.read(length).decode()
            (kind,) = struct.unpack("<I", file.read(4))
            _skip(file, kind)
            end = file.tell()
            file.seek(start)
            yield key, file.read(end - start)


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == STRING:
        file.seek(struct.unpack("<Q", file.read(8))[0], 1)
    elif kind == ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in SIZES:
            file.seek(SIZES[inner] * count, 1)
        else:
            for _ in range(count):
                _skip(file, inner)
    else:
        file.seek(SIZES[kind], 1)


def _count(raw: bytes) -> int:
    """The length of an array, from all bytes of its key."""
    (name,) = struct.unpack("<Q", raw[:8])
    count: int = struct.unpack("<Q", raw[8 + name + 8 : 8 + name + 16])[0]
    return count
