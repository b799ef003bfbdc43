"""Idents of the tools of `attributes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.empty import EmptyArgs, EmptyResult
    from .types.hidden import HiddenArgs, HiddenResult
    from .types.parameters import ParametersArgs, ParametersResult
    from .types.pydantic import PydanticArgs, PydanticResult

EMPTY: Final[Ident[EmptyArgs, EmptyResult]] = Ident("attributes.empty")
"""A field without a name."""

HIDDEN: Final[Ident[HiddenArgs, HiddenResult]] = Ident("attributes.hidden")
"""Private and dunder names."""

PARAMETERS: Final[Ident[ParametersArgs, ParametersResult]] = Ident("attributes.parameters")
"""Names that generated functions use themselves."""

PYDANTIC: Final[Ident[PydanticArgs, PydanticResult]] = Ident("attributes.pydantic")
"""Names that a model has already."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    EMPTY,
    HIDDEN,
    PARAMETERS,
    PYDANTIC,
)
"""Every tool of this toolset."""
