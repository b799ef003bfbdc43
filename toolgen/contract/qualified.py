"""Qualified action names, `<category>__<entry>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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
