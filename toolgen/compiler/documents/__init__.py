"""Documents: the file format as pydantic models. Nodes in, checked documents out; references are resolved later."""

from __future__ import annotations

from toolgen.compiler.documents.read import Document, read_documents

__all__ = ["Document", "read_documents"]
