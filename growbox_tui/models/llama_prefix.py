"""PrefixFiles: computed prefixes of local models in a folder, for the next process.

    NAME = KEY-DIGEST.prefix: what llama.cpp writes of a sequence │ JSON │ its length │ END

``KEY`` stands for the model's file, the build of llama.cpp and the kind of context, ``DIGEST`` for
the tokens. llama.cpp ends the process over a file that is cut short, so that nothing is handed to
it whose size and checksum are not as the JSON says. Files appear whole under their name (they are
written elsewhere and moved), and are only ever added and removed, never changed: processes do not
disturb each other. The newest are kept, up to a number of bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import time
import zlib
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from growbox_tui.models.llama_standing import Saved

FORMAT = 1
MOST_BYTES = 1 << 30
"""Of all files in a folder together."""
LARGEST_SHARE = 1 / 2
"""Of those bytes, that one file may take: a longer prefix is kept in part."""
FORGOTTEN_S = 3600.0
"""Seconds after which a file that was never finished is one that nobody writes any more."""
_END = b"GBPREFIX"
_HEAD_BYTES = 1 << 20
"""Of a model's file that are compared: its header with hyperparameters and vocabulary."""
_MAGIC = 0x67677371
"""``GGSQ``: what llama.cpp begins a sequence's file with; then version, count and token ids."""
_PIECE = 1 << 20
_LONGEST_JSON = 4096


class NotKept(Exception):
    """A prefix could not be written; the text says why."""


def key_of(model: Path, build: str) -> str:
    """What files of this model, by this build of llama.cpp, are named by. Raises ``OSError``."""
    status = model.stat()
    with model.open("rb") as file:
        head = hashlib.sha256(file.read(_HEAD_BYTES)).hexdigest()
    said = f"{FORMAT} {status.st_size} {status.st_mtime_ns} {head} {build}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


class PrefixFiles:
    """The files of one key. For one thread at a time."""

    def __init__(self, folder: Path, key: str, *, most: int = MOST_BYTES) -> None:
        """``most``: bytes that all files of the folder, of any key, may take together."""
        self._folder = folder
        self._key = key
        self._most = most
        self._read: dict[str, Saved] = {}

    @property
    def largest(self) -> int:
        """Bytes that one file may take."""
        return int(self._most * LARGEST_SHARE)

    def saved(self) -> list[Saved]:
        """What is there. Files under this key's name that are torn, of another key or of a later
        format are removed."""
        found: dict[str, Saved] = {}
        for path in self._folder.glob(f"{self._key}-*.prefix"):
            known = self._read.get(path.name) or self._look(path)
            if known is not None:
                found[path.name] = known
        self._read = found
        return list(found.values())

    def check(self, saved: Saved) -> bool:
        """Whether the file is whole, to the bit; if not, it is removed. Marks it as used."""
        try:
            with saved.path.open("rb") as file:
                whole = _checksum(file, saved.size) == saved.checksum
            os.utime(saved.path)
        except OSError:
            # Another process has removed it, or the disk has gone: either way it cannot be used.
            whole = False
        if not whole:
            self.drop(saved)
        return whole

    def drop(self, saved: Saved) -> None:
        """Remove a file."""
        self._read.pop(saved.path.name, None)
        _remove(saved.path)

    def save(
        self,
        tokens: Sequence[int],
        write: Callable[[Path], int],
        stopped: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Keep a prefix, and remove those that it continues.

        Args:
            tokens: its token ids.
            write: lets llama.cpp write them to a file; returns the bytes, 0 if it could not.
            stopped: asked on the way; then nothing is kept.

        Returns whether it is kept. Raises ``NotKept``.
        """
        name = f"{self._key}-{_digest(tokens)}.prefix"
        fresh = self._folder / f".{name}.{os.getpid()}-{secrets.token_hex(4)}.part"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            size = write(fresh)
            if not size or fresh.stat().st_size != size:
                raise NotKept("llama.cpp could not write the file; is the disk full?")
            if not self._finish(fresh, size, tokens, stopped):
                return False
            fresh.replace(self._folder / name)
        except OSError as error:
            raise NotKept(f"{error.strerror}: {self._folder}") from error
        finally:
            _remove(fresh)
        self._read.pop(name, None)
        self._tidy(self._folder / name, tuple(tokens))
        return True

    def _finish(
        self, fresh: Path, size: int, tokens: Sequence[int], stopped: Callable[[], bool]
    ) -> bool:
        """Write the JSON behind what llama.cpp wrote."""
        with fresh.open("r+b") as file:
            checksum = _checksum(file, size, stopped)
            if checksum is None:
                return False
            said = {
                "format": FORMAT,
                "key": self._key,
                "size": size,
                "tokens": len(tokens),
                "checksum": checksum,
            }
            body = json.dumps(said).encode()
            file.seek(0, os.SEEK_END)
            file.write(body + struct.pack("<I", len(body)) + _END)
        return True

    def _look(self, path: Path) -> Saved | None:
        try:
            return self._parsed(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, struct.error):
            # Torn, foreign or newer: whatever it is, it would be looked at again each time.
            _remove(path)
            return None

    def _parsed(self, path: Path) -> Saved:
        """Raises ``ValueError`` and the like for what this class did not write."""
        with path.open("rb") as file:
            said = _trailer(file)
            if said["format"] != FORMAT or said["key"] != self._key:
                raise ValueError("of another kind")
            file.seek(0)
            magic, _, count = struct.unpack("<III", file.read(12))
            if magic != _MAGIC or count != said["tokens"]:
                raise ValueError("not what llama.cpp writes")
            tokens = array("i")
            tokens.frombytes(file.read(4 * count))
        if len(tokens) != count or path.name != f"{self._key}-{_digest(tokens)}.prefix":
            raise ValueError("not the tokens that it is named by")
        return Saved(path, tuple(tokens), said["size"], said["checksum"])

    def _tidy(self, newest: Path, tokens: tuple[int, ...]) -> None:
        """Remove what the newest file continues, what was never finished, and the oldest until all
        is within bounds."""
        for saved in self.saved():
            if saved.path != newest and saved.tokens == tokens[: len(saved.tokens)]:
                self.drop(saved)
        now = time.time()
        for path, status in _files(self._folder, ".*.part"):
            if now - status.st_mtime > FORGOTTEN_S:
                _remove(path)
        kept = _files(self._folder, "*.prefix")
        total = sum(status.st_size for _, status in kept)
        for path, status in sorted(kept, key=lambda each: each[1].st_mtime_ns):
            if total <= self._most:
                break
            if path != newest:
                _remove(path)
                total -= status.st_size


def _trailer(file: BinaryIO) -> dict[str, Any]:
    """The JSON at the end of a file. Raises ``ValueError`` if the file's size is not as it says,
    ``OSError`` and ``struct.error`` for what has no such end."""
    whole = file.seek(-len(_END) - 4, os.SEEK_END) + len(_END) + 4
    length, end = struct.unpack(f"<I{len(_END)}s", file.read())
    if end != _END or length > _LONGEST_JSON:
        raise ValueError("no end")
    start = file.seek(whole - len(_END) - 4 - length)
    said: dict[str, Any] = json.loads(file.read(length))
    if start != said["size"]:
        raise ValueError("torn")
    return said


def _files(folder: Path, pattern: str) -> list[tuple[Path, os.stat_result]]:
    found = []
    for path in folder.glob(pattern):
        with suppress(FileNotFoundError):
            found.append((path, path.stat()))
    return found


def _remove(path: Path) -> None:
    """Another process may have been faster, or may hold it where open files stay."""
    with suppress(OSError):
        path.unlink()


def _digest(tokens: Sequence[int]) -> str:
    return hashlib.sha256(array("i", tokens).tobytes()).hexdigest()[:16]


def _checksum(file: BinaryIO, size: int, stopped: Callable[[], bool] = lambda: False) -> int | None:
    """Of the first ``size`` bytes; ``None`` if it was stopped or there are fewer."""
    checksum = 0
    while size > 0:
        piece = b"" if stopped() else file.read(min(_PIECE, size))
        if not piece:
            return None
        checksum = zlib.crc32(piece, checksum)
        size -= len(piece)
    return checksum
