"""Idents of the tools of `vault`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.nobody import NobodyArgs, NobodyResult
    from .types.one_of_two import OneOfTwoArgs, OneOfTwoResult
    from .types.store import StoreArgs, StoreResult

NOBODY: Final[Ident[NobodyArgs, NobodyResult]] = Ident("vault.nobody")
"""For no role at all."""

ONE_OF_TWO: Final[Ident[OneOfTwoArgs, OneOfTwoResult]] = Ident("vault.one_of_two")
"""A choice beside one that is there already."""

STORE: Final[Ident[StoreArgs, StoreResult]] = Ident("vault.store")
"""Store a secret under a name."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    NOBODY,
    ONE_OF_TWO,
    STORE,
)
"""Every tool of this toolset."""
