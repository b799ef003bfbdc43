"""Idents of the tools of `objects`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.keys import KeysArgs, KeysResult
    from .types.maps import MapsArgs, MapsResult
    from .types.openness import OpennessArgs, OpennessResult
    from .types.required_only import RequiredOnlyArgs, RequiredOnlyResult

KEYS: Final[Ident[KeysArgs, KeysResult]] = Ident("objects.keys")
"""Keys by pattern and by name."""

MAPS: Final[Ident[MapsArgs, MapsResult]] = Ident("objects.maps")
"""Objects without named fields."""

OPENNESS: Final[Ident[OpennessArgs, OpennessResult]] = Ident("objects.openness")
"""An open object keeps what it is given; a closed one refuses it."""

REQUIRED_ONLY: Final[Ident[RequiredOnlyArgs, RequiredOnlyResult]] = Ident("objects.required_only")
"""A key can be required without being described."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    KEYS,
    MAPS,
    OPENNESS,
    REQUIRED_ONLY,
)
"""Every tool of this toolset."""
