"""Patterns of strings: what they match, and texts that match some and not others."""
