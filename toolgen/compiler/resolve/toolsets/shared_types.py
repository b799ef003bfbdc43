"""The types of shared files, each created once for all toolsets that use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgen.compiler.ir.shapes import PACKAGE_MODULE
from toolgen.compiler.resolve.shapes.shapes import Shapes
from toolgen.compiler.resolve.toolsets.sides import Sides

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.base import SharedFile
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.resolve.schemas.schemas import Schemas


def resolve_shared_types(
    documents: Sequence[Document[SharedFile]], schemas: Schemas, sink: Diagnostics, *, profile: str
) -> Shapes:
    """Return the types of all shared files, used or not. They share one namespace in Python."""
    names = [name for document in documents for name in document.file.types]
    shapes = Shapes(names, (), sink, module=PACKAGE_MODULE)
    for document in documents:
        Sides(document, schemas, shapes, sink, profile=profile).local_types(document.file.types)
    return shapes
