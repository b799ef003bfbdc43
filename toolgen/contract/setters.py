"""Setters of attributes, for constructors of frozen classes that are written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


def setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """Give what sets an attribute of instances of a class, be it frozen: one in a slot, or `__dict__`, all of them."""
    return cast("Callable[[Any, Any], None]", vars(kind)[name].__set__)
