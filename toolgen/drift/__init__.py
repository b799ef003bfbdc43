"""Drift: how the tools that a server offers differ from those that were compiled."""
