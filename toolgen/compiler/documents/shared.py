"""The shared file."""

from __future__ import annotations

from toolgen.compiler.documents.base import Dialect, Schema, SpecFileHead, Text, TypeName, Word


class SharedFile(SpecFileHead):
    """Types and tags for use in other files; the only kind of file without a head."""

    dialect: Dialect = "2020-12"
    """The JSON Schema draft of schemas without `$schema`."""
    types: dict[TypeName, Schema] = {}
    """Named schemas, for `$ref: "shared.yaml#/types/Name"` in other files."""
    tags: dict[Word, Text] = {}
    """Maps tags of this project, besides the built-in ones, to their meaning."""
