"""Judges: voices that read remembered texts and say which of them bear on a question."""
