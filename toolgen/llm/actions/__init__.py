"""Actions: the entries of a catalog, which a model finds and calls without being shown all tools."""
