"""Idents of the tools of `parts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.items import ItemsArgs, ItemsResult
    from .types.typed_rest import TypedRestArgs, TypedRestResult
    from .types.whole import WholeArgs, WholeResult

ITEMS: Final[Ident[ItemsArgs, ItemsResult]] = Ident("parts.items")
"""Items beyond the described places."""

TYPED_REST: Final[Ident[TypedRestArgs, TypedRestResult]] = Ident("parts.typed_rest")
"""What no part describes is a number."""

WHOLE: Final[Ident[WholeArgs, WholeResult]] = Ident("parts.whole")
"""Fields of all parts, and no others."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ITEMS,
    TYPED_REST,
    WHOLE,
)
"""Every tool of this toolset."""
