"""`Ident`: the typed, canonical id of a tool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

ArgsT = TypeVar("ArgsT")
ResultT = TypeVar("ResultT")


class Ident(str, Generic[ArgsT, ResultT]):
    """The dotted id of one tool, carrying the types of its args and its result.

    At run time it is a `str`: it hashes, compares, prints and pickles like one. To a type checker it is invariant in
    both types, and a plain `str` is not an `Ident`, so that `Runtime.call` is checked end to end. Generated packages
    have one constant for every tool.
    """

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Support idents in pydantic models: validated from any string, serialized as a string."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema())
