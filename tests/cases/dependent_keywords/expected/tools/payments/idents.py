"""Idents of the tools of `payments`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.batch import BatchArgs, BatchResult
    from .types.pay import PayArgs, PayResult

BATCH: Final[Ident[BatchArgs, BatchResult]] = Ident("payments.batch")
"""The same inside an array."""

PAY: Final[Ident[PayArgs, PayResult]] = Ident("payments.pay")
"""A card needs its code; an invoice needs an address of at least three characters."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    BATCH,
    PAY,
)
"""Every tool of this toolset."""
