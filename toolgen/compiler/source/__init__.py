"""Spec text to nodes with spans, and plain data to spec text. Reading files is here, and nowhere else."""
