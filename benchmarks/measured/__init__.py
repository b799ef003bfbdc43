"""Measured programs: each module runs in a separate process, with `python -m`, and prints one JSON object."""
