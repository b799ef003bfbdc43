"""Differences between typed values and JSON values: absent fields, integral floats, and depth."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence, Set
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from toolgen.runtime.base.json_text import NotJson
from toolgen.runtime.codec.colliding_keys import check_keys_of
from toolgen.runtime.codec.pydantic_types import wire_name
from toolgen.schema.json_values import is_array, is_mapping, is_object, is_sequence

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_UNSAYABLE: Final = (Set, Iterator, Awaitable, bytes, bytearray, memoryview, complex)


def with_integers(value: Any) -> Any:
    """Copy a JSON value with integral floats as ints: `1.0` is an integer for JSON Schema, but not for Python."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if is_array(value):
        return [with_integers(item) for item in value]
    if is_object(value):
        return {key: with_integers(item) for key, item in value.items()}
    return value


def with_floats(value: Any) -> Any:
    """Copy a JSON value with large ints as the floats they equal, if any: the reverse of `with_integers`.

    The validator treats integers up to 2^63 as equal to their floats; beyond, as different numbers.
    """
    if isinstance(value, int) and not -(2**63) < value < 2**63:
        try:
            return float(value) if float(value) == value else value
        except OverflowError:
            return value
    if is_array(value):
        return [with_floats(item) for item in value]
    if is_object(value):
        return {key: with_floats(item) for key, item in value.items()}
    return value


def check_serializable(value: Any) -> None:
    """Reject values that pydantic would serialize although they are not JSON: sets, bytes, generators and the like.

    Models, dataclasses, dates, enums and other values with one obvious text are accepted. Raises `NotJson`;
    `RepeatedKey` for keys that are the same in JSON.
    """
    pending: list[Any] = [value]
    seen: dict[int, Any] = {}  # a value may contain itself, which pydantic rejects
    while pending:
        item = pending.pop()
        kind = item.__class__
        if kind in _PLAIN or id(item) in seen:  # nearly all; to ask for abstract classes takes ten times as long
            continue
        seen[id(item)] = item
        if kind is dict or is_mapping(item):
            for key in item:
                if key.__class__ is not str:
                    check_keys_of(item)
                    break
            pending.extend(item.values())
        elif kind is list or is_sequence(item):
            pending.extend(item)
        else:
            _check_scalar(item)


def _check_scalar(value: object) -> None:
    name = type(value).__name__
    if isinstance(value, _UNSAYABLE):
        raise NotJson(f"a {name} is not a JSON value")
    if isinstance(value, datetime | time) and (value.utcoffset() or timedelta()) % timedelta(minutes=1):
        raise NotJson(f"the offset of a {name} has seconds, which RFC 3339 cannot write")


def plain(value: Any) -> Any:
    """Convert a typed value to JSON without unset fields. pydantic's serializer stops at half the allowed depth."""
    if isinstance(value, BaseModel):
        return {wire: plain(member) for wire, member in _set_fields(value)}
    if is_array(value):
        return [plain(item) for item in value]
    if is_object(value):
        return {key: plain(item) for key, item in value.items()}
    return value


def is_absent(value: Any, path: Sequence[str | int], model: type[BaseModel] | None) -> bool:
    """Whether the null at `path` is an optional field of a model that was set to None, so that it means absent.

    `value` is typed, or the fields of a `model` by their wire names.
    """
    owner = value
    for part in path[:-1]:
        owner = _member(owner, part)
    declared = type(owner) if isinstance(owner, BaseModel) else model if owner is value else None
    field = _field(declared, path[-1]) if declared else None
    return field is not None and not field[1].is_required()


def remove(value: Any, path: Sequence[str | int]) -> None:
    """Delete what is at `path` of a JSON value, in place."""
    owner = value
    for part in path[:-1]:
        owner = owner[part]
    del owner[path[-1]]


def _set_fields(model: BaseModel) -> Iterator[tuple[str, Any]]:
    for name, field in type(model).model_fields.items():
        if name in model.model_fields_set:
            yield wire_name(name, field), getattr(model, name)
    yield from (model.__pydantic_extra__ or {}).items()


def _member(owner: Any, part: str | int) -> Any:
    if not isinstance(owner, BaseModel):
        return owner[part]
    field = _field(type(owner), part)
    return getattr(owner, field[0]) if field else (owner.__pydantic_extra__ or {})[str(part)]


def _field(model: type[BaseModel], wire: str | int) -> tuple[str, FieldInfo] | None:
    fields = model.model_fields
    return next(((name, field) for name, field in fields.items() if wire_name(name, field) == wire), None)
