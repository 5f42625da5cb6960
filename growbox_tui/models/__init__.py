"""Voices: how we speak to a model."""
