"""Comparison of schemas: a normal form, and containment."""
