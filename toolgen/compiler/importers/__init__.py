"""Importers: convert tool descriptions of other systems to spec files."""
