"""``python -m growbox_tui`` is the same as ``growbox``."""

from growbox_tui.cli import main

if __name__ == "__main__":
    main()
