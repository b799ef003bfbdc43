"""Typed values made of JSON values, of the defaults that generated modules hold, and of values of another class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from toolgen.runtime.codec.extra_keys import correct_given_fields, python_names_taken
from toolgen.runtime.codec.pydantic_types import adapter_of
from toolgen.runtime.codec.typed_values import plain, with_integers

if TYPE_CHECKING:
    from collections.abc import Callable


def build_typed(validate: Callable[..., Any], value: Any) -> Any:
    """Build the typed value of a JSON value with a validator of pydantic. Raises its ValidationError."""
    try:
        return validate(value, by_alias=True, by_name=False)
    except ValidationError:
        with python_names_taken():
            typed = validate(with_integers(value), by_alias=True, by_name=False)
        correct_given_fields(typed, value)
        return typed


def typed_default(kind: Any, value: Any) -> Any:
    """Make a default that is written as JSON, in its type; anew for every value that has it."""
    return build_typed(adapter_of(kind).validator.validate_python, value)


def rebuilt(kind: Any, value: Any) -> Any:
    """Make a value of another type that has the same fields; fields that were not set stay unset."""
    return build_typed(adapter_of(kind).validator.validate_python, plain(value))
