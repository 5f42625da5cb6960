"""Colour themes, one TOML file each. A package only so that an installed growbox finds its files."""
