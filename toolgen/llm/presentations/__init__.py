"""Presentations: how tools are shown to a model, and how its responses are parsed as calls."""
