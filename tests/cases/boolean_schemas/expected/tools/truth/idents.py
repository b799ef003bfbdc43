"""Idents of the tools of `truth`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.anything_goes import AnythingGoesArgs, AnythingGoesResult
    from .types.everywhere import EverywhereArgs, EverywhereResult
    from .types.short import ShortArgs, ShortResult

ANYTHING_GOES: Final[Ident[AnythingGoesArgs, AnythingGoesResult]] = Ident("truth.anything_goes")
"""Args that take whatever object comes."""

EVERYWHERE: Final[Ident[EverywhereArgs, EverywhereResult]] = Ident("truth.everywhere")
"""Booleans as schemas."""

SHORT: Final[Ident[ShortArgs, ShortResult]] = Ident("truth.short")
"""In the short form, and by name."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ANYTHING_GOES,
    EVERYWHERE,
    SHORT,
)
"""Every tool of this toolset."""
