"""The shape of the memory file, one numbered step after the other.

A step is never edited once it is in a release: a change of shape is a new step at the end. Each
runs in one transaction together with its number, so a file is always at one step exactly.
"""

from __future__ import annotations

M001 = (
    # AUTOINCREMENT: a position is never given twice, even after a deletion.
    """CREATE TABLE nodes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL,
        kind TEXT NOT NULL,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        project TEXT NOT NULL,
        session TEXT NOT NULL,
        turn INTEGER NOT NULL,
        meta TEXT NOT NULL,
        sha256 BLOB NOT NULL
    ) STRICT""",
    "CREATE INDEX nodes_at ON nodes (at)",
    "CREATE INDEX nodes_project ON nodes (project, at)",
    "CREATE INDEX nodes_session ON nodes (session, seq)",
    # Contentless: the words are in nodes already; only the index is kept here.
    """CREATE VIRTUAL TABLE node_text USING fts5(
        body, content='', contentless_delete=1,
        tokenize='porter unicode61 remove_diacritics 2'
    )""",
    """CREATE TABLE spaces (
        id INTEGER PRIMARY KEY,
        stamp TEXT NOT NULL UNIQUE,
        dimensions INTEGER NOT NULL
    ) STRICT""",
    # stored = 0: the node was looked at and has nothing to embed.
    """CREATE TABLE embedded (
        space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL REFERENCES nodes (seq) ON DELETE CASCADE,
        stored INTEGER NOT NULL,
        PRIMARY KEY (space, seq)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX embedded_seq ON embedded (seq)",
    """CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        title TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        model TEXT NOT NULL,
        turns INTEGER NOT NULL,
        queue TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX sessions_updated ON sessions (updated)",
    # kept: positions of the entries carried over from the epoch before, as a JSON list.
    """CREATE TABLE epochs (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        tools TEXT NOT NULL,
        system TEXT NOT NULL,
        why TEXT NOT NULL,
        first INTEGER NOT NULL,
        kept TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE items (
        session TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        position INTEGER NOT NULL,
        node TEXT NOT NULL,
        body TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (session, epoch, position),
        FOREIGN KEY (session, epoch) REFERENCES epochs (session, number) ON DELETE CASCADE
    ) STRICT""",
    """CREATE TABLE entries (
        session TEXT NOT NULL,
        seq INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        role TEXT NOT NULL,
        body TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        node TEXT,
        shows TEXT NOT NULL,
        PRIMARY KEY (session, seq),
        FOREIGN KEY (session, epoch) REFERENCES epochs (session, number) ON DELETE CASCADE
    ) STRICT""",
    """CREATE TABLE requests (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        epoch INTEGER NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX requests_session ON requests (session, id)",
    "CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
)

M002 = (
    # A table and no column: a growbox of format 1 that has the file open goes on unharmed.
    """CREATE TABLE owners (
        session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
        owner TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
)

M003 = (
    # Defaults, so that the items of older files are memories of no segment in particular. Inserts
    # into items name their columns from here on.
    "ALTER TABLE items ADD COLUMN kind TEXT NOT NULL DEFAULT 'memory'",
    "ALTER TABLE items ADD COLUMN segment INTEGER NOT NULL DEFAULT 0",
    # stamp: the embedder that the embedding is of, as little-endian float32.
    # state: 0 as long as the line stands in the chain; from 1 up the order in which it left.
    """CREATE TABLE lines (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        at INTEGER NOT NULL,
        accessed INTEGER NOT NULL,
        node TEXT,
        relevance REAL,
        stamp TEXT NOT NULL DEFAULT '',
        embedding BLOB,
        supplement INTEGER NOT NULL DEFAULT 0,
        reloaded INTEGER NOT NULL DEFAULT 0,
        state INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (session, seq)
    ) STRICT""",
    # What stands in a chain, to find what has no embedding yet: nearly all lines have left theirs.
    "CREATE INDEX lines_standing ON lines (stamp, at, seq) WHERE state = 0",
    # live = 0: dropped. The row stays without its words, so that its number is never given twice.
    """CREATE TABLE rules (
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        id INTEGER NOT NULL,
        text TEXT NOT NULL,
        source TEXT NOT NULL,
        at INTEGER NOT NULL,
        live INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (session, id)
    ) STRICT, WITHOUT ROWID""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (M001, M002, M003)
"""``MIGRATIONS[n]`` leads from ``user_version`` n to n + 1."""
