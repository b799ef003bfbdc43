"""Idents of the tools of `names`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

if TYPE_CHECKING:
    from .types.order import OrderArgs, OrderResult
    from .types.order_args import OrderArgsArgs, OrderArgsResult
    from .types.order_result import OrderResultArgs, OrderResultResult
    from .types.shared_twice import SharedTwiceArgs, SharedTwiceResult

ORDER: Final[Ident[OrderArgs, OrderResult]] = Ident("names.order")
"""Its field `item` would make a class called like a type, its field `args` one called like those of `order_args`."""

ORDER_ARGS: Final[Ident[OrderArgsArgs, OrderArgsResult]] = Ident("names.order_args")
"""Called like a field of the other tool."""

ORDER_RESULT: Final[Ident[OrderResultArgs, OrderResultResult]] = Ident("names.order_result")
"""And once more."""

SHARED_TWICE: Final[Ident[SharedTwiceArgs, SharedTwiceResult]] = Ident("names.shared_twice")
"""Two fields in different places with one name each."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    ORDER,
    ORDER_ARGS,
    ORDER_RESULT,
    SHARED_TWICE,
)
"""Every tool of this toolset."""
