"""Completion: what is being written at a position, and what may be written there."""
