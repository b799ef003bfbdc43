"""Idents of the tools of `values`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.consts import ConstsArgs, ConstsResult
    from .types.enums import EnumsArgs, EnumsResult

CONSTS: Final[Ident[ConstsArgs, ConstsResult]] = Ident("values.consts")
"""One value only."""

ENUMS: Final[Ident[EnumsArgs, EnumsResult]] = Ident("values.enums")
"""Enumerations of every kind."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    CONSTS,
    ENUMS,
)
"""Every tool of this toolset."""
