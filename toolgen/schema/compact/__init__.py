"""Compact schemas: what tells a model something, in few bytes."""
