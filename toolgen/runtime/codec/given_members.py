"""How many members the text of a typed value had, and how many colons its strings: it tells whether a key was repeated.

Neither is ever more than there were: what a class adds, such as defaults, does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel

from toolgen.runtime.codec.pydantic_types import bare, model_class, without_none
from toolgen.schema.json_values import is_object, is_sequence

_SCALARS: Final = frozenset({bool, float, int, str, NoneType, Ellipsis})
_WITH_PARTS: Final = (list, tuple, Union, UnionType)


Counter: TypeAlias = Callable[[Any], int]


def member_counter(kind: Any, known: dict[type, Counter] | None = None) -> Counter:
    """Return a function that counts the members of a value of a type: a fast one for a class, also a nested one.

    `known` has those of the classes so far, so that each is made once.
    """
    known = {} if known is None else known
    model = model_class(kind)
    if model is None:
        return given_members
    if model not in known:
        known[model] = given_members  # of a class within itself
        known[model] = _counter_of(model, known)
    return known[model]


def _counter_of(model: type[BaseModel], known: dict[type, Counter]) -> Counter:
    fields = [(name, bare(field.annotation)) for name, field in model.model_fields.items()]
    nested = [(name, bare(without_none(of)[0])) for name, of in fields if _may_have_objects(of)]
    counters = [(name, member_counter(of, known)) for name, of in nested]
    is_open = model.model_config.get("extra") == "allow"
    if not counters and not is_open:
        return _given_fields
    plain = [name for name, counter in counters if counter is _given_fields]  # in place: a call takes as long
    others = [(name, counter) for name, counter in counters if counter is not _given_fields]

    def count(value: Any) -> int:
        given = value.__pydantic_fields_set__
        members = len(given)
        for name in plain:
            if name in given and (part := value.__dict__[name]) is not None:
                members += len(part.__pydantic_fields_set__)
        for name, counter in others:
            if name in given and (part := value.__dict__[name]) is not None:
                members += counter(part)
        if is_open and value.__pydantic_extra__:
            members += given_members(list(value.__pydantic_extra__.values()))
        return members

    return count


def _given_fields(value: Any) -> int:
    return len(value.__pydantic_fields_set__)


def given_members(value: Any) -> int:
    """Return how many members the objects of a text had from which a typed value was built."""
    if value.__class__ in _SCALARS:
        return 0
    if is_object(value):
        return len(value) + sum(map(given_members, value.values()))
    if is_sequence(value):
        return sum(map(given_members, value))
    if isinstance(value, BaseModel):
        return len(value.__pydantic_fields_set__) + sum(map(given_members, _given_parts(value)))
    return 0


def given_colons(value: Any) -> int:
    """Return how many colons are in the strings of a typed value, but for names of fields."""
    if isinstance(value, str):
        return value.count(":")
    if value.__class__ in _SCALARS:
        return 0
    if is_object(value):
        return given_colons([*value, *value.values()])
    if is_sequence(value):
        return sum(map(given_colons, value))
    if isinstance(value, BaseModel):
        return given_colons([*(value.__pydantic_extra__ or ()), *_given_parts(value)])
    return 0


def _given_parts(value: BaseModel) -> Iterator[Any]:
    given = value.__pydantic_fields_set__
    yield from (part for name, part in value.__dict__.items() if name in given)
    yield from (value.__pydantic_extra__ or {}).values()


def _may_have_objects(kind: Any) -> bool:
    if get_origin(kind) in _WITH_PARTS:
        return any(_may_have_objects(bare(part)) for part in get_args(kind))
    return kind not in _SCALARS and get_origin(kind) is not Literal
