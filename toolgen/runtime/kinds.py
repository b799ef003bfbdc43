"""Kinds: the types of generated values, and what pydantic makes of them."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter

from toolgen.contract.json_types import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def is_json_value(kind: Any) -> bool:
    """Whether a type is any JSON, so that there is nothing to validate or to serialize."""
    from pydantic import JsonValue  # as slow to import as the first model of a process, which comes first

    return kind is JsonValue


def model_class(kind: Any) -> type[BaseModel] | None:
    """Give a type back if it is a model class."""
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def without_none(kind: Any) -> tuple[Any, bool]:
    """Take `X | None` apart, for one `X`; say whether there was a None."""
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else ()
    others = [member for member in members if member is not NoneType]
    return (others[0], True) if len(others) == 1 else (kind, NoneType in members)


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Give what validates and serializes a generated type: a model, or an alias such as `list[Profile]`."""
    model = model_class(kind)
    if model is not None:
        return TypeAdapter(model)
    return TypeAdapter(kind, config=ConfigDict(strict=True, ser_json_inf_nan="constants"))


def has_aliases(adapter: TypeAdapter[Any]) -> bool:
    """Whether any field that a type holds has another name in JSON."""
    return any("validation_alias" in node for node in _nodes(adapter.core_schema))


def has_defaults(adapter: TypeAdapter[Any]) -> bool:
    """Whether any field that a type holds can be left out."""
    return any(node.get("type") == "default" for node in _nodes(adapter.core_schema))


def _nodes(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Give every dict of a core schema; they refer to each other by name, so there are no cycles."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if is_object(node):
            yield node
            pending.extend(value for key, value in node.items() if key != "metadata")
        elif is_array(node):
            pending.extend(node)
