"""The shape of the memory file, one numbered step after the other.

A step is never edited once it is in a release: a change of shape is a new step at the end. Each
runs in one transaction together with its number, so a file is always at one step exactly.
"""

from __future__ import annotations

from memory.store.vector_tables import M005, M007

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

M004 = (
    # A piece of a long node: characters lo to hi of its text. In the indexes of words and vectors a
    # node stands under its seq and a piece under -id, so the two can never be taken for each other.
    """CREATE TABLE pieces (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        node INTEGER NOT NULL REFERENCES nodes (seq) ON DELETE CASCADE,
        lo INTEGER NOT NULL,
        hi INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX pieces_node ON pieces (node, lo)",
    # Long nodes up to this one are not cut yet: see cuts.cut_older.
    "INSERT INTO kv SELECT 'uncut', max(seq) FROM nodes HAVING max(seq) > 0",
    # Without a reference to nodes: seq may be the number of a piece.
    """CREATE TABLE looked_at (
        space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        stored INTEGER NOT NULL,
        PRIMARY KEY (space, seq)
    ) STRICT, WITHOUT ROWID""",
    "INSERT INTO looked_at SELECT space, seq, stored FROM embedded",
    "DROP TABLE embedded",
    "ALTER TABLE looked_at RENAME TO embedded",
    "CREATE INDEX embedded_seq ON embedded (seq)",
    # A question that came to something. family: the id of the first question that asked the same.
    """CREATE TABLE questions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        text TEXT NOT NULL,
        words TEXT NOT NULL,
        family INTEGER NOT NULL,
        at INTEGER NOT NULL,
        used INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX questions_words ON questions (words)",
    "CREATE INDEX questions_family ON questions (family)",
    # Little-endian float32 of the embedder of that stamp; made again from the text for another.
    """CREATE TABLE question_vectors (
        stamp TEXT NOT NULL,
        question INTEGER NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
        vector BLOB NOT NULL,
        PRIMARY KEY (stamp, question)
    ) STRICT, WITHOUT ROWID""",
    # source and target: the seq of a node, or minus the id of a piece. source 0: nowhere, as of a
    # question that began nowhere.
    """CREATE TABLE pointers (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source INTEGER NOT NULL,
        target INTEGER NOT NULL,
        made INTEGER NOT NULL,
        used INTEGER NOT NULL,
        UNIQUE (source, target)
    ) STRICT""",
    "CREATE INDEX pointers_target ON pointers (target)",
    # sign 1: the question succeeded by this pointer; -1: it was misled by it.
    """CREATE TABLE keys (
        pointer INTEGER NOT NULL REFERENCES pointers (id) ON DELETE CASCADE,
        question INTEGER NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
        sign INTEGER NOT NULL,
        weight REAL NOT NULL DEFAULT 1,
        tries INTEGER NOT NULL DEFAULT 0,
        successes INTEGER NOT NULL DEFAULT 0,
        missed INTEGER NOT NULL DEFAULT 0,
        used INTEGER NOT NULL,
        PRIMARY KEY (pointer, question, sign)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX keys_question ON keys (question)",
    # Where a target went that was cut in pieces, superseded or deleted; fresh = 0: nowhere.
    """CREATE TABLE redirects (
        stale INTEGER NOT NULL,
        fresh INTEGER NOT NULL,
        why TEXT NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (stale, fresh)
    ) STRICT, WITHOUT ROWID""",
    # Forced jumps: the user pointed. source 0: from anywhere.
    """CREATE TABLE jumps (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source INTEGER NOT NULL,
        target INTEGER NOT NULL,
        session TEXT NOT NULL,
        words TEXT NOT NULL,
        at INTEGER NOT NULL,
        UNIQUE (source, target)
    ) STRICT""",
    """CREATE TABLE anchors (
        target INTEGER PRIMARY KEY,
        source INTEGER NOT NULL,
        level INTEGER NOT NULL,
        frontier INTEGER NOT NULL,
        heat REAL NOT NULL,
        used INTEGER NOT NULL,
        rejections INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    # What was read for a family of questions. method: judge or scan. depth 2: deep, 1: light.
    # hash: of the contents of the stretch when it was read.
    """CREATE TABLE certificates (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        family INTEGER NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
        method TEXT NOT NULL,
        judge TEXT NOT NULL,
        embedder TEXT NOT NULL,
        depth INTEGER NOT NULL,
        lo INTEGER NOT NULL,
        hi INTEGER NOT NULL,
        hash BLOB NOT NULL,
        at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX certificates_family ON certificates (family, method, lo)",
    # A stretch that was leapt over, owed to a family of questions. cursor: read down to here.
    """CREATE TABLE debts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        family INTEGER NOT NULL REFERENCES questions (id) ON DELETE CASCADE,
        method TEXT NOT NULL,
        lo INTEGER NOT NULL,
        hi INTEGER NOT NULL,
        cursor INTEGER NOT NULL,
        worth REAL NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX debts_family ON debts (family, method, lo)",
    # The last recollections, for /why and for feedback.
    """CREATE TABLE recollections (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        turn INTEGER NOT NULL,
        question TEXT NOT NULL,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX recollections_session ON recollections (session, id)",
)

M006 = (
    # Nodes that hold what a file said, by its path: see references.outdated.
    """CREATE INDEX nodes_reference ON nodes (json_extract(meta, '$.reference.path'), seq)
        WHERE json_extract(meta, '$.reference.path') IS NOT NULL""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (M001, M002, M003, M004, M005, M006, M007)
"""``MIGRATIONS[n]`` leads from ``user_version`` n to n + 1."""
