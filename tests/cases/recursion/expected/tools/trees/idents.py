"""Idents of the tools of `trees`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.direct import DirectArgs, DirectResult
    from .types.local import LocalArgs, LocalResult
    from .types.mutual import MutualArgs, MutualResult
    from .types.root import RootArgs, RootResult
    from .types.unions import UnionsArgs, UnionsResult

DIRECT: Final[Ident[DirectArgs, DirectResult]] = Ident("trees.direct")
"""A type in itself."""

LOCAL: Final[Ident[LocalArgs, LocalResult]] = Ident("trees.local")
"""A local definition that contains itself."""

MUTUAL: Final[Ident[MutualArgs, MutualResult]] = Ident("trees.mutual")
"""Two types in each other."""

ROOT: Final[Ident[RootArgs, RootResult]] = Ident("trees.root")
"""The args themselves, all the way down."""

UNIONS: Final[Ident[UnionsArgs, UnionsResult]] = Ident("trees.unions")
"""Choices that contain themselves."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    DIRECT,
    LOCAL,
    MUTUAL,
    ROOT,
    UNIONS,
)
"""Every tool of this toolset."""
