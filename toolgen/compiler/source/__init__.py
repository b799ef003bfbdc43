"""Spec text to nodes with spans, and plain data to spec text. The only package that reads spec files."""
