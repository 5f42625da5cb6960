"""How a memory is found."""
