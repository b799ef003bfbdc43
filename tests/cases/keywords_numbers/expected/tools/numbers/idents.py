"""Idents of the tools of `numbers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.bounds import BoundsArgs, BoundsResult
    from .types.kinds import KindsArgs, KindsResult
    from .types.multiples import MultiplesArgs, MultiplesResult

BOUNDS: Final[Ident[BoundsArgs, BoundsResult]] = Ident("numbers.bounds")
"""Inclusive and exclusive bounds."""

KINDS: Final[Ident[KindsArgs, KindsResult]] = Ident("numbers.kinds")
"""An integer may be written 1.0; a truth value is no number."""

MULTIPLES: Final[Ident[MultiplesArgs, MultiplesResult]] = Ident("numbers.multiples")
"""Multiples of whole numbers and of fractions."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    BOUNDS,
    KINDS,
    MULTIPLES,
)
"""Every tool of this toolset."""
