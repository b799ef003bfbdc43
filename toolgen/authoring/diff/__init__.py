"""Diff: two versions of specs or of generated packages, read, compared, and reported."""
