"""Idents of the tools of `old`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.arrays import ArraysArgs, ArraysResult
    from .types.newer_words import NewerWordsArgs, NewerWordsResult
    from .types.objects import ObjectsArgs, ObjectsResult
    from .types.recursive import RecursiveArgs, RecursiveResult
    from .types.siblings import SiblingsArgs, SiblingsResult

ARRAYS: Final[Ident[ArraysArgs, ArraysResult]] = Ident("old.arrays")
"""Places are listed in items, and the rest in additionalItems."""

NEWER_WORDS: Final[Ident[NewerWordsArgs, NewerWordsResult]] = Ident("old.newer_words")
"""Keywords of a later draft are unknown here, and check nothing."""

OBJECTS: Final[Ident[ObjectsArgs, ObjectsResult]] = Ident("old.objects")
"""Dependencies of both kinds, conditions, and names of keys."""

RECURSIVE: Final[Ident[RecursiveArgs, RecursiveResult]] = Ident("old.recursive")
"""Types in themselves."""

SIBLINGS: Final[Ident[SiblingsArgs, SiblingsResult]] = Ident("old.siblings")
"""Beside $ref nothing counts."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ARRAYS,
    NEWER_WORDS,
    OBJECTS,
    RECURSIVE,
    SIBLINGS,
)
"""Every tool of this toolset."""
