"""CODE: the API of generated packages, read from their sources, and what changes for code that uses it."""
