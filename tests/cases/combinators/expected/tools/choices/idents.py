"""Idents of the tools of `choices`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.all_of import AllOfArgs, AllOfResult
    from .types.any_of import AnyOfArgs, AnyOfResult
    from .types.at_the_root import AtTheRootArgs, AtTheRootResult
    from .types.nested import NestedArgs, NestedResult
    from .types.nothing_like import NothingLikeArgs, NothingLikeResult
    from .types.one_of import OneOfArgs, OneOfResult

ALL_OF: Final[Ident[AllOfArgs, AllOfResult]] = Ident("choices.all_of")
"""Everything at once."""

ANY_OF: Final[Ident[AnyOfArgs, AnyOfResult]] = Ident("choices.any_of")
"""One of several kinds."""

AT_THE_ROOT: Final[Ident[AtTheRootArgs, AtTheRootResult]] = Ident("choices.at_the_root")
"""A choice of whole objects."""

NESTED: Final[Ident[NestedArgs, NestedResult]] = Ident("choices.nested")
"""Combinators in combinators."""

NOTHING_LIKE: Final[Ident[NothingLikeArgs, NothingLikeResult]] = Ident("choices.nothing_like")
"""Anything but."""

ONE_OF: Final[Ident[OneOfArgs, OneOfResult]] = Ident("choices.one_of")
"""Exactly one of several."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ALL_OF,
    ANY_OF,
    AT_THE_ROOT,
    NESTED,
    NOTHING_LIKE,
    ONE_OF,
)
"""Every tool of this toolset."""
