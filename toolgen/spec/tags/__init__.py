"""Patterns of tags: the part of the syntax of regular expressions that is matched in linear time."""
