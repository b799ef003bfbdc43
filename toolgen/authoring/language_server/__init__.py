"""The language server for spec files: diagnostics, completion, hover, definitions, rename, formatting, fixes."""
