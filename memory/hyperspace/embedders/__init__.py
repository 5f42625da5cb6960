"""Text to vectors, on this machine, without a network."""
