"""The shared file."""

from __future__ import annotations

from toolgen.compiler.documents.base import Dialect, Schema, SpecFileHead, Text, TypeName, Word


class SharedFile(SpecFileHead):
    """Types and tag words for other files; the only kind of file without a head."""

    dialect: Dialect = "2020-12"
    types: dict[TypeName, Schema] = {}
    tags: dict[Word, Text] = {}
    """Tag words of ours, beside the built-in ones, and what they mean."""
