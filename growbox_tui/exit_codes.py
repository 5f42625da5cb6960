"""Exit codes: what a run's end means to a shell."""

DONE = 0
FAILED = 1
USAGE = 2
"""A flag, a setting, an unknown model, a missing key."""
INTERRUPTED = 130
