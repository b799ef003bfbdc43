"""The types of generated values, and how pydantic treats them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


_CONTAINERS: Final = (dict, list, set, tuple, Union, UnionType)
_CONSTRAINTS: Final = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
_SCALARS: Final = frozenset({bool, float, int, str, NoneType, Ellipsis})
_FORMATTED: Final = ("datetime", "uuid")
"""The modules of dates, times and UUIDs."""


def is_json_value(kind: Any) -> bool:
    """Whether a type is any JSON, so that validation and serialization do nothing."""
    from pydantic import JsonValue  # slow to import

    return kind is JsonValue


def model_class(kind: Any) -> type[BaseModel] | None:
    """Return the type if it is a model class, else None."""
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def without_none(kind: Any) -> tuple[Any, bool]:
    """Return `X` of a type `X | None`, and whether there was a None."""
    members = get_args(kind) if get_origin(kind) in (Union, UnionType) else ()
    others = [member for member in members if member is not NoneType]
    return (others[0], True) if len(others) == 1 else (kind, NoneType in members)


def bare(kind: Any) -> Any:
    """Return a type without `Annotated`."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def constraints_of(kind: Any) -> dict[str, Any]:
    """Return the constraints of an `Annotated` type, as the arguments of its `Field`: `{"ge": 1}`."""
    from pydantic.fields import FieldInfo  # a third of what a runtime imports, and models bring it

    marks = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
    items = [item for mark in marks for item in (mark.metadata if isinstance(mark, FieldInfo) else (mark,))]
    return {name: getattr(item, name) for item in items for name in _CONSTRAINTS if hasattr(item, name)}


def type_of(field: FieldInfo) -> Any:
    """Return the type of a field with its constraints, as it was written."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def wire_name(name: str, field: FieldInfo) -> str:
    """Return the JSON name of a field, which may be empty."""
    return name if field.alias is None else field.alias


@cache
def adapter_of(kind: Any) -> TypeAdapter[Any]:
    """Return the adapter of a generated type: a model, or an alias such as `list[Profile]`."""
    model = model_class(kind)
    if model is not None:
        return TypeAdapter(model)
    return TypeAdapter(kind, config=ConfigDict(strict=True, ser_json_inf_nan="constants"))


def dump_options(kind: Any) -> dict[str, bool]:
    """Return the options that pydantic's serializer needs to write a type as its JSON; each takes time on every call.

    `by_alias` if a field has another JSON name, `exclude_unset` if a field is optional, and both if the fields of the
    type are unknown.
    """
    options: dict[str, bool] = {}
    for model in models_in(kind):
        fields = model.model_fields.values() if model else ()
        if model is None or any(field.validation_alias is not None for field in fields):
            options["by_alias"] = True
        if model is None or not all(field.is_required() for field in fields):
            options["exclude_unset"] = True
    return options


def models_in(kind: Any) -> Iterator[type[BaseModel] | None]:
    """Return every model in a type, once; None for a type whose contents are unknown, such as a dataclass."""
    pending: list[Any] = [kind]
    seen: set[type[BaseModel]] = set()
    while pending:
        each = pending.pop()
        model = model_class(each)
        if get_origin(each) is Annotated:
            pending.append(get_args(each)[0])
        elif get_origin(each) in _CONTAINERS:
            pending.extend(get_args(each))
        elif model is not None and model not in seen:
            seen.add(model)
            yield model
            pending.extend(field.annotation for field in model.model_fields.values())
        elif model is None and not (
            get_origin(each) is Literal
            or each in _SCALARS
            or getattr(each, "__module__", "") in _FORMATTED
            or is_json_value(each)
        ):
            yield None
