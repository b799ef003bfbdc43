"""Idents of the tools of `arrays`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.contents import ContentsArgs, ContentsResult
    from .types.lengths import LengthsArgs, LengthsResult
    from .types.places import PlacesArgs, PlacesResult
    from .types.typeless import TypelessArgs, TypelessResult

CONTENTS: Final[Ident[ContentsArgs, ContentsResult]] = Ident("arrays.contents")
"""Some items must be there."""

LENGTHS: Final[Ident[LengthsArgs, LengthsResult]] = Ident("arrays.lengths")
"""Lengths and uniqueness."""

PLACES: Final[Ident[PlacesArgs, PlacesResult]] = Ident("arrays.places")
"""Every place has a schema of its own."""

TYPELESS: Final[Ident[TypelessArgs, TypelessResult]] = Ident("arrays.typeless")
"""Without a type these keywords say nothing of other values."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CONTENTS,
    LENGTHS,
    PLACES,
    TYPELESS,
)
"""Every tool of this toolset."""
