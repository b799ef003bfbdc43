"""Drift: tools as their sources offer them, how they differ from what was compiled, and what in them is suspicious."""
