"""Records: the frozen dataclasses of the IR as JSON, and back. A record is the list of its fields, in order.

Conversions are made once for each class, from the types of its fields. What is typed as any value is JSON already.
A conversion from JSON changes the value that it is given.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from toolgen.compiler.diagnostics.diagnostic import Related, Span
from toolgen.compiler.ir.catalog import Policy, Toolset
from toolgen.compiler.ir.shapes import AliasType, ClassType, Shape

Convert: TypeAlias = Callable[[Any], Any]

_NAMES: Final[dict[str, Any]] = {
    "AliasType": AliasType,
    "Any": Any,
    "ClassType": ClassType,
    "Mapping": Mapping,
    "Policy": Policy,
    "Related": Related,
    "Shape": Shape,
    "Span": Span,
    "Toolset": Toolset,
}
"""The names in annotations of the IR that modules import for type checkers only."""

RecordT = TypeVar("RecordT")


def to_json(record: Any) -> Any:
    """Return a record as a JSON value, which shares parts with it."""
    kind: Any = type(record)
    return _record_writer(kind)(record)


def from_json(kind: type[RecordT], value: Any) -> RecordT:
    """Return the record of a class from its JSON value, which is changed."""
    named: Any = kind
    record: RecordT = _record_reader(named)(value)
    return record


@cache
def _fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind, localns=_NAMES)
    return tuple((item.name, hints[item.name]) for item in fields(kind) if item.init)


@cache
def _writer(kind: Any) -> Convert | None:
    """Return the conversion of values of a type to JSON; None where they stay as they are."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_writer([part for part in parts if part is not types.NoneType])
    if origin is tuple:
        return _list_of(_writer(parts[0])) if parts[-1] is Ellipsis else list
    if origin is Literal:
        return None
    if origin is not None and issubclass(origin, Mapping):
        return _values_of(_writer(parts[1]))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return lambda value: value.value
    if not is_dataclass(kind):
        return None
    record: Any = kind
    return _record_writer(record)


@cache
def _record_writer(kind: Any) -> Convert:
    plan: list[tuple[str, Convert | None]] = []  # made at first use, because shapes contain shapes

    def write(record: Any) -> list[Any]:
        if not plan:
            plan.extend((name, _writer(hint)) for name, hint in _fields(kind))
        return [
            value if (value := getattr(record, name)) is None or convert is None else convert(value)
            for name, convert in plan
        ]

    return write


def _union_writer(parts: Sequence[Any]) -> Convert | None:
    if len(parts) == 1:
        return _writer(parts[0])
    if not all(is_dataclass(part) for part in parts):
        return lambda value: list(value) if isinstance(value, tuple) else value
    writers = {part: (number, _record_writer(part)) for number, part in enumerate(parts)}

    def write(record: Any) -> list[Any]:
        number, convert = writers[type(record)]
        return [number, *convert(record)]

    return write


def _list_of(convert: Convert | None) -> Convert:
    return list if convert is None else (lambda value: [convert(item) for item in value])


def _values_of(convert: Convert | None) -> Convert | None:
    return None if convert is None else (lambda value: {key: convert(item) for key, item in value.items()})


@cache
def _reader(kind: Any) -> Convert | None:
    """Return the conversion of JSON to values of a type; None where they stay as they are."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_reader([part for part in parts if part is not types.NoneType])
    if origin is tuple:
        return _tuple_of(_reader(parts[0]) if parts[-1] is Ellipsis else None)
    if origin is Literal:
        return None
    if origin is not None and issubclass(origin, Mapping):
        return _values_of(_reader(parts[1]))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {member.value: member for member in kind}.__getitem__
    if not is_dataclass(kind):
        return None
    record: Any = kind
    return _record_reader(record)


@cache
def _record_reader(kind: Any) -> Convert:
    plan: list[list[tuple[int, Convert]]] = []
    names = [item.name for item in fields(kind) if item.init]
    takes_names = any(item.kw_only for item in fields(kind))

    def read(value: list[Any]) -> Any:
        if not plan:
            found = ((number, _reader(hint)) for number, (_, hint) in enumerate(_fields(kind)))
            plan.append([(number, convert) for number, convert in found if convert])
        for number, convert in plan[0]:
            if value[number] is not None:
                value[number] = convert(value[number])
        return kind(**dict(zip(names, value, strict=True))) if takes_names else kind(*value)

    return read


def _union_reader(parts: Sequence[Any]) -> Convert | None:
    if len(parts) == 1:
        return _reader(parts[0])
    if not all(is_dataclass(part) for part in parts):
        return lambda value: tuple(value) if isinstance(value, list) else value
    readers = [_record_reader(part) for part in parts]
    return lambda value: readers[value[0]](value[1:])


def _tuple_of(convert: Convert | None) -> Convert:
    return tuple if convert is None else (lambda value: tuple([convert(item) for item in value]))
