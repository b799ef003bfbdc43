"""Typed values built from JSON values, from defaults in generated modules, and from values of another class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from toolgen.runtime.codec.extra_keys import correct_given_fields, python_names_taken
from toolgen.runtime.codec.pydantic_types import adapter_of
from toolgen.runtime.codec.typed_values import plain, with_integers

ModelT = TypeVar("ModelT", bound=BaseModel)


def build_typed(validate: Callable[..., Any], value: Any) -> Any:
    """Build the typed value of a JSON value with a pydantic validator. Raises its ValidationError."""
    try:
        return validate(value, by_alias=True, by_name=False)
    except ValidationError:
        with python_names_taken():
            typed = validate(with_integers(value), by_alias=True, by_name=False)
        correct_given_fields(typed, value)
        return typed


def typed_default(kind: Any, value: Any) -> Any:
    """Build a default, given as JSON, in its type; a new object for every value that uses it."""
    return build_typed(adapter_of(kind).validator.validate_python, value)


def keep_unset(made: ModelT, source: BaseModel, /, **fields: str) -> ModelT:
    """Mark the fields of a model as unset whose source is. `fields` are the names in the source by those in the model.

    Else an absent field would be sent as null, which the schema may not allow.
    """
    given = source.model_fields_set
    made.model_fields_set.difference_update([name for name, of_source in fields.items() if of_source not in given])
    return made


def rebuilt(kind: Any, value: Any) -> Any:
    """Build a value of another type with the same fields; unset fields stay unset."""
    return build_typed(adapter_of(kind).validator.validate_python, plain(value))
