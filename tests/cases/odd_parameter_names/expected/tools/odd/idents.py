"""Idents of the tools of `odd`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.published import PublishedArgs, PublishedResult
    from .types.renamed import RenamedArgs, RenamedResult

PUBLISHED: Final[Ident[PublishedArgs, PublishedResult]] = Ident("odd.published")
"""Names found in published tools."""

RENAMED: Final[Ident[RenamedArgs, RenamedResult]] = Ident("odd.renamed")
"""Names that would meet in Python are told apart by `rename`."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    PUBLISHED,
    RENAMED,
)
"""Every tool of this toolset."""
