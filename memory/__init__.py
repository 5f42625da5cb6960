"""The mind: one file of memory, and the ways it is found again."""
