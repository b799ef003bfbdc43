"""The Python modules of a generated package: models, idents, call builders, dispatch tables, transforms."""
