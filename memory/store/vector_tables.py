"""Tables of vectors and of codes: two steps of the file's shape, see ``migrations``."""

from __future__ import annotations

M005 = (
    # Beside each row here stands a table vectors_N with the vectors (float32) of space N by place.
    # What is still in a table vec_N was written by format 4 or less and is moved behind the turns.
    # stored: how many, since counting them takes long. changes: rises with each write, so that
    # who holds codes in memory sees what is new. basis: with which version codes are made; 0: none
    # are yet.
    """CREATE TABLE code_spaces (
        space INTEGER PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
        stored INTEGER NOT NULL DEFAULT 0,
        changes INTEGER NOT NULL DEFAULT 0,
        basis INTEGER NOT NULL DEFAULT 0,
        mean BLOB
    ) STRICT""",
    # The codes of a stretch of places. present: one bit a place. changed: the space's count of
    # changes when this block last did.
    """CREATE TABLE code_blocks (
        id INTEGER PRIMARY KEY,
        space INTEGER NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        changed INTEGER NOT NULL,
        present BLOB NOT NULL,
        UNIQUE (space, number)
    ) STRICT""",
    "CREATE INDEX code_blocks_changed ON code_blocks (space, changed)",
    # Apart from its block: only what changed of a code is written, and the rest is not moved.
    """CREATE TABLE code_bits (
        block INTEGER PRIMARY KEY REFERENCES code_blocks (id) ON DELETE CASCADE,
        codes BLOB NOT NULL
    ) STRICT""",
)

M007 = (
    # Codes of the tokens of the text at a place, made with its vector in that space.
    """CREATE TABLE token_codes (
        place INTEGER PRIMARY KEY,
        space INTEGER NOT NULL,
        codes BLOB NOT NULL
    ) STRICT""",
    """CREATE TRIGGER token_codes_gone AFTER DELETE ON embedded BEGIN
        DELETE FROM token_codes WHERE place = old.seq AND space = old.space;
    END""",
)
