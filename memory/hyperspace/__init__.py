"""How near two memories are."""
