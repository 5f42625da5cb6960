"""The figures that memory is tuned with, each with its unit and its reason."""

from __future__ import annotations

BUSY_MS = 5_000
"""Milliseconds to wait for another process's write. Writes take a few milliseconds each, so only
a process that hangs in the middle of one is ever met by the error."""

CLOSE_SECONDS = 1.5
"""Seconds that closing waits for what has begun; writes take milliseconds, the largest a second.
Who closes a program does not wait longer for a disk that may never answer."""

CLOSE_GRACE_SECONDS = 0.5
"""Seconds more for what was broken off to be undone, before its thread is given up."""

TEXT_LIMIT = 20_000_000
"""Characters of one node's text. Longer texts keep head and tail and say what is missing: beyond
this a single row would hold up every other write."""

BODY_LIMIT = 100_000_000
"""Characters of one stored message. It is replayed byte for byte, so it is refused, never cut."""

EMBED_BATCH = 32
"""Texts embedded between two looks at the clock: small enough to stop within some 10 ms."""

EMBED_PATIENCE_SECONDS = 2.0
"""Seconds that a question or an epoch's end waits for vectors. Both go on without: the one finds
by words and time, the other weighs lines by their age, and what is pending is embedded later."""

EMBED_CHARS = 20_000
"""Characters of a text that are handed to an embedder; all of them cut far earlier."""

HALF_LIFE_TURNS = 12.0
"""Turns after which a memory that was not found again has half its heat. About one sitting: what
was hot yesterday does not crowd out what was found twice today."""

HALF_LIFE_EPOCHS = 6.0
"""Epochs after which an item of the region has half its worth: some ten of them make a region."""

ITEM_TOKENS = 400
"""Estimated tokens of one memory in the context region; the whole is paged in by its address."""

FALLEN_TOKENS = 100
"""Estimated tokens of a memory that was found for an earlier turn, once it leaves the tail: what
it said has been used, and its address brings the rest."""

CONDENSE_CHARS = 32_000
"""Characters of a message that its excerpt is taken from: of longer ones head and tail alone, so
that ending an epoch takes some ms whatever was read in it."""

TITLE_CHARS = 80
"""Characters of a conversation's title."""

PIECE_TOKENS = 120
"""Estimated tokens of a piece of a long text: some sentences, so that a narrow question meets one
thing; far inside the window of every embedder (256 tokens and more), in Chinese too."""

WHOLE_TOKENS = 250
"""Estimated tokens up to which a text stays whole: in two halves each would say less than it
(measured on CMRC and CoSQA: recall@10 as of whole texts; with 200 it is .2 to .4 points less)."""

HEADING_TOKENS = 40
"""Estimated tokens of the beginning of a long text by which each of its pieces is found too."""

MOST_PIECES = 256
"""Pieces of one text: some 100,000 characters are cut fine. Who pastes more asks for its whole."""

MOST_TOOL_PIECES = 64
"""Pieces of one tool's output, which is long, much alike and seldom asked for: each costs a vector
and a row of the index."""

TELLING_CHARS = 2_000_000
"""Characters of a long text in which lines are looked for that tell of errors: some 0.1 s."""

RESIDENT_CODE_BYTES = 160_000_000
"""Bytes of vector codes that stay in memory for each embedder: nearly three million nodes. Beyond
that they are read from the file at each question, some 0.3 ms a thousand."""

QUESTION_CHARS = 2_000
"""Characters of a question that is kept: a pasted log is known by its beginning."""

KEYS_A_POINTER = 8
"""Questions that a pointer is known by, of each sign."""

POINTERS_A_SOURCE = 64
"""Pointers that begin at one place."""

MOST_POINTERS = 20_000
"""Pointers in all: years of daily use, of which hardly a tenth is ever followed again."""

MOST_QUESTIONS = 50_000
"""Questions that are kept, with a vector each: those that nothing rests on go first."""

MOST_QUESTIONS = 20_000
"""Questions on file; beyond that those that led nowhere go."""

MOST_KEYS = 20_000
"""Keys that are held in memory: some 20 to 30 MB of vectors."""

RECOLLECTIONS_KEPT = 2_000
"""Recollections that ``/why`` and feedback can still speak of: some weeks."""

MOST_ANCHORS = 128
"""Anchors in all: they are compared with each question, one by one."""

ANCHOR_WINDOW = 8
"""Nodes of one step of drift on the timeline: about a turn with its tools."""

ANCHOR_REJECTIONS = 3
"""Times in a row that an anchor is pulled for nothing before it is dropped."""

ANCHOR_DAYS = 14.0
"""Days after which an anchor that was not needed has half its heat."""

ANCHORS_PULLED = 4
"""Anchors that one question may pull: each is a text for the judge to read."""

READ_CALLS = 32
"""Calls of a judge that one question may cost while the user waits; the rest is owed."""

JUDGE_SECONDS = 60.0
"""Seconds without an answer after which a call of a judge has failed."""

JUDGE_FAILURES = 2
"""Calls in a row that may fail before a reading is given up: a judge that is out of order does not
keep the user waiting once for each batch."""

JUDGED_OVERHEAD = 24
"""Tokens that a candidate costs a judge besides its text: its name, and the answer."""

BATCH_CANDIDATES = 32
"""Candidates of one call: small judges lose count of more."""

FOLLOWED = 16
"""Pointers that one question follows at most, besides those that questions like it made."""

PRICED_WINDOW = 8_000
"""Tokens of one call by which reading is priced where no judge says how much it takes."""

MOST_DEBTS = 512
"""Stretches owed in all."""

MOST_CERTIFICATES = 4_096
"""Stretches known to be read in all: they are merged, so these are those of thousands of
questions."""

SCAN_STRETCH = 16_384
"""Positions of the timeline whose vectors are looked at in one go: some 20 ms."""

PAY_CALLS = 4
"""Calls of a judge in one instalment of debts, unless said otherwise."""
