"""Idents of the tools of `refs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.anchors import AnchorsArgs, AnchorsResult
    from .types.pointers import PointersArgs, PointersResult
    from .types.resources import ResourcesArgs, ResourcesResult

ANCHORS: Final[Ident[AnchorsArgs, AnchorsResult]] = Ident("refs.anchors")
"""By anchor, and dynamically."""

POINTERS: Final[Ident[PointersArgs, PointersResult]] = Ident("refs.pointers")
"""By JSON pointer, also into properties, through escaped names, and from one definition to another."""

RESOURCES: Final[Ident[ResourcesArgs, ResourcesResult]] = Ident("refs.resources")
"""A schema with an $id is a document of its own."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ANCHORS,
    POINTERS,
    RESOURCES,
)
"""Every tool of this toolset."""
