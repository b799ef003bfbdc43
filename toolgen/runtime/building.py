"""What generated modules call to make typed values: defaults that are no scalar, and values of another class."""

from __future__ import annotations

from typing import Any

from toolgen.runtime.kinds import adapter_of
from toolgen.runtime.typed_values import plain


def typed_default(kind: Any, value: Any) -> Any:
    """Make a default that is written as JSON, in its type; anew for every value that has it."""
    return adapter_of(kind).validate_python(value, by_alias=True, by_name=False)


def rebuilt(kind: Any, value: Any) -> Any:
    """Make a value of another type that has the same fields; fields that were not set stay unset."""
    return adapter_of(kind).validate_python(plain(value), by_alias=True, by_name=False)
