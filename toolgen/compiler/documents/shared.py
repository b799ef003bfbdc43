"""The shared file."""

from __future__ import annotations

from toolgen.compiler.documents.base import Dialect, Schema, SpecFileHead, Text, TypeName, Word


class SharedFile(SpecFileHead):
    """Types and tags for use in other files; the only kind of file without a head."""

    dialect: Dialect = "2020-12"
    types: dict[TypeName, Schema] = {}
    tags: dict[Word, Text] = {}
    """Maps tags of this project, besides the built-in ones, to their meaning."""
