"""Readers of the event stream that need no screen."""
