"""sqlite-vec in a connection: exact distances, and the tables of older files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import apsw

from memory.store.database import Database
from memory.store.errors import VectorsUnavailable


def load(db: Database) -> None:
    """Load sqlite-vec into this connection, once. Raises ``VectorsUnavailable``."""
    if db.vectors_loaded:
        return
    spec = find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise VectorsUnavailable(
            "The package sqlite-vec is missing, so nothing can be found by meaning.",
            "Install growbox again.",
        )
    # Found by path: importing the package would bring the stdlib's sqlite3 with it.
    library = str(Path(spec.origin).parent / "vec0")
    try:
        db.connection.enable_load_extension(True)
        db.connection.load_extension(library)
    except apsw.ExtensionLoadingError as error:
        raise VectorsUnavailable(
            f"sqlite-vec does not load here: {error}.", "Install growbox again."
        ) from error
    finally:
        db.connection.enable_load_extension(False)
    db.vectors_loaded = True
