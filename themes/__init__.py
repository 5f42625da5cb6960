"""Colour themes, one TOML file each; a package so that an installed growbox finds them."""
