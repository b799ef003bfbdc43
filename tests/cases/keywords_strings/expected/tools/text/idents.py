"""Idents of the tools of `text`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.content import ContentArgs, ContentResult
    from .types.typeless import TypelessArgs, TypelessResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("text.bounds")
"""Length and pattern."""

CONTENT: Final[Ident[ContentArgs, ContentResult]] = Ident("text.content")
"""Content keywords annotate and refuse nothing."""

TYPELESS: Final[Ident[TypelessArgs, TypelessResult]] = Ident("text.typeless")
"""Without a type, these keywords say nothing of other values."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    BOUNDS,
    CONTENT,
    TYPELESS,
)
"""Every tool of this toolset."""
