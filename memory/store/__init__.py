"""L0: how memories rest on disk."""
