"""Idents of the tools of `forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing import NothingArgs, NothingResult
    from .types.words import WordsArgs, WordsResult

ARRAYS: Final[Ident[ArraysArgs, ArraysResult]] = Ident("forms.arrays")
"""Arrays of everything."""

NESTED: Final[Ident[NestedArgs, NestedResult]] = Ident("forms.nested")
"""Fields in fields are objects in objects."""

NOTHING: Final[Ident[NothingArgs, NothingResult]] = Ident("forms.nothing")
"""No args at all, and any result."""

WORDS: Final[Ident[WordsArgs, WordsResult]] = Ident("forms.words")
"""Every type word."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ARRAYS,
    NESTED,
    NOTHING,
    WORDS,
)
"""Every tool of this toolset."""
