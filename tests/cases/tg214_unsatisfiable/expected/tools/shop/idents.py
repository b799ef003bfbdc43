"""Idents of the tools of `shop`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.enum import EnumArgs, EnumResult
    from .types.refused import RefusedArgs, RefusedResult
    from .types.required import RequiredArgs, RequiredResult
    from .types.sizes import SizesArgs, SizesResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("shop.bounds")
"""Bounds that cross."""

ENUM: Final[Ident[EnumArgs, EnumResult]] = Ident("shop.enum")
"""A choice between nothing."""

REFUSED: Final[Ident[RefusedArgs, RefusedResult]] = Ident("shop.refused")
"""A field that is required and refused."""

REQUIRED: Final[Ident[RequiredArgs, RequiredResult]] = Ident("shop.required")
"""A field that is required and not allowed."""

SIZES: Final[Ident[SizesArgs, SizesResult]] = Ident("shop.sizes")
"""Sizes that cross."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    BOUNDS,
    ENUM,
    REFUSED,
    REQUIRED,
    SIZES,
)
"""Every tool of this toolset."""
