"""Setters of attributes, for constructors of frozen classes that are written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable


def setter(kind: type, name: str) -> Callable[[Any, Any], None]:
    """Return what sets a slot of instances of a class, also of a frozen one; `__dict__` sets all attributes."""
    return cast("Callable[[Any, Any], None]", vars(kind)[name].__set__)
