"""Importers: tools that others describe, written as spec files."""
