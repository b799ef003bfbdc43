"""`Ident`: the typed, canonical id of a tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

# Qualified action names, `<category>__<entry>`.

SEPARATOR = "__"


def build(category: str, entry: str) -> str:
    """Join a category and an entry. Raises ValueError if the result could not be split again."""
    if not category or SEPARATOR in category or category.endswith("_"):
        raise ValueError(f"{category!r} cannot be a category: it is empty, contains `__` or ends in `_`")
    if not entry:
        raise ValueError("an entry needs a name")
    return f"{category}{SEPARATOR}{entry}"


def split(name: str, categories: Iterable[str]) -> tuple[str, str]:
    """Split a qualified name at the first `__` after its category.

    Entries are free text and may contain `__`. Raises ValueError for a name without separator, with an unknown
    category, or with an empty entry.
    """
    category, separator, entry = name.partition(SEPARATOR)
    if not separator:
        raise ValueError(f"{name!r} has no `__` between category and entry")
    if category not in set(categories):
        raise ValueError(f"{name!r} names the unknown category {category!r}")
    if not entry:
        raise ValueError(f"{name!r} has no entry after the category")
    return category, entry


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
