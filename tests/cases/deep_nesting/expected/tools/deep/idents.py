"""Idents of the tools of `deep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.raw import RawArgs, RawResult
    from .types.short import ShortArgs, ShortResult

RAW: Final[Ident[RawArgs, RawResult]] = Ident("deep.raw")
"""In JSON Schema."""

SHORT: Final[Ident[ShortArgs, ShortResult]] = Ident("deep.short")
"""In the short form."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    RAW,
    SHORT,
)
"""Every tool of this toolset."""
