"""The hands: what the agent can do to the world."""
