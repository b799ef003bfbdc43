"""Idents of the tools of `files`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.all_of_them import AllOfThemArgs, AllOfThemResult
    from .types.none_of_them import NoneOfThemArgs, NoneOfThemResult
    from .types.some import SomeArgs, SomeResult

ALL_OF_THEM: Final[Ident[AllOfThemArgs, AllOfThemResult]] = Ident("files.all_of_them")
"""Has every default."""

NONE_OF_THEM: Final[Ident[NoneOfThemArgs, NoneOfThemResult]] = Ident("files.none_of_them")
"""Replaces the rest."""

SOME: Final[Ident[SomeArgs, SomeResult]] = Ident("files.some")
"""Adds tags and changes limits."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ALL_OF_THEM,
    NONE_OF_THEM,
    SOME,
)
"""Every tool of this toolset."""
