"""Codecs compared with the validator: generated schemas, types for their values, and values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import reduce
from itertools import count
from operator import or_
from types import GenericAlias, NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field, JsonValue, create_model

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.models import ClosedModel, OpenModel
from toolgen.runtime.issues.issues import MAX_FOUND, MAX_ISSUES, MAX_TEXT
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import SearchStrategy

_numbers = count()

NAMES = st.sampled_from(["a", "b", "from", "x y", "field_1", "n/~"])
TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)


@dataclass(frozen=True)
class Typed:
    """A schema, a type for all its values, and some values."""

    schema: Any
    type: Any
    values: SearchStrategy[Any]
    nullable: bool = False


SCALARS = st.sampled_from([
    Typed({"type": "string"}, str, TEXT),
    Typed({"type": "string", "minLength": 2, "maxLength": 4}, str, st.text(min_size=2, max_size=4)),
    Typed({"type": "integer"}, int, st.integers() | st.integers(-99, 99).map(float)),
    Typed({"type": "integer", "minimum": -3, "exclusiveMaximum": 9}, int, st.integers(-3, 8)),
    Typed({"type": "number"}, int | float, st.integers() | FLOATS),
    Typed({"type": "number", "multipleOf": 0.5}, int | float, st.integers(-99, 99).map(lambda number: number / 2)),
    Typed({"type": "boolean"}, bool, st.booleans()),
    Typed({"type": "null"}, NoneType, st.none(), nullable=True),
    Typed({"enum": ["a", "b", "é"]}, Literal["a", "b", "é"], st.sampled_from(["a", "b", "é"])),
    Typed({"enum": [1, 2]}, Literal[1, 2], st.sampled_from([1, 2, 1.0])),
    Typed({"type": ["string", "null"]}, str | None, TEXT | st.none(), nullable=True),
    Typed({}, JsonValue, JSON, nullable=True),
    Typed({"not": {"type": "string"}}, JsonValue, JSON, nullable=True),
])  # fmt: skip


def _array(items: Typed) -> Typed:
    return Typed(
        {"type": "array", "items": items.schema}, GenericAlias(list, (items.type,)), st.lists(items.values, max_size=3)
    )


def _map(values: Typed) -> Typed:
    schema = {"type": "object", "additionalProperties": values.schema}
    return Typed(schema, GenericAlias(dict, (str, values.type)), st.dictionaries(NAMES, values.values, max_size=3))


def _union(members: list[Typed]) -> Typed:
    kinds: Any = reduce(or_, [member.type for member in members])
    values = st.one_of(*(member.values for member in members))
    return Typed(
        {"anyOf": [member.schema for member in members]}, kinds, values, any(member.nullable for member in members)
    )


def _object(fields: Mapping[str, tuple[Typed, bool]], is_open: bool) -> Typed:
    members: dict[str, Any] = {}
    for number, (wire, (field, required)) in enumerate(fields.items()):
        kind = field.type if required or field.nullable else field.type | None
        members[f"field_{number}"] = (Annotated[kind, Field(alias=wire)], ... if required else None)
    model = create_model(f"Model{next(_numbers)}", __base__=OpenModel if is_open else ClosedModel, **members)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {wire: field.schema for wire, (field, _) in fields.items()},
        "required": [wire for wire, (_, required) in fields.items() if required],
    }
    named = st.fixed_dictionaries(
        {wire: field.values for wire, (field, required) in fields.items() if required},
        optional={wire: field.values for wire, (field, required) in fields.items() if not required},
    )
    if not is_open:
        return Typed({**schema, "additionalProperties": False}, model, named)
    more = st.dictionaries(NAMES | TEXT, JSON, max_size=2)
    return Typed(schema, model, st.tuples(more, named).map(lambda both: {**both[0], **both[1]}))


TYPED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        inner.map(_array),
        inner.map(_map),
        st.lists(inner, min_size=2, max_size=3).map(_union),
        st.builds(_object, st.dictionaries(NAMES, st.tuples(inner, st.booleans()), max_size=3), st.booleans()),
    ),
    max_leaves=5,
)

few = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def accepts(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema, validate_formats=False, offline=True).is_valid(value)


@few
@given(st.data())
def test_decoding_agrees_with_the_validator_and_loses_nothing(data: st.DataObject) -> None:
    typed = data.draw(TYPED)
    value = data.draw(typed.values | JSON)
    payload = json.dumps(value)
    codec = Codec.of(typed.schema, typed.type)
    if not accepts(typed.schema, value):
        with pytest.raises(InvalidPayload) as refused:
            codec.decode(payload)
        assert 1 <= len(refused.value.issues) <= MAX_ISSUES
        return
    decoded = codec.decode(payload)
    encoded = codec.encode(decoded)
    assert json.loads(encoded) == value
    assert canonical(json.loads(encoded)) == encoded
    assert json.loads(codec.normalize(decoded)[1]) == value
    model, dump, is_valid = codec.fast_dump
    dumped = dump(decoded) if type(decoded) is model else None
    assert dumped is None or not is_valid(dumped) or dumped == value


@few
@given(st.data())
def test_plain_values_are_decoded_equally(data: st.DataObject) -> None:
    typed = data.draw(TYPED)
    value = data.draw(typed.values | JSON)
    codec = Codec.of(typed.schema)
    if accepts(typed.schema, value):
        assert codec.decode(json.dumps(value)) == value
        assert codec.check(value) == ()
    else:
        assert codec.check(value) != ()


@few
@given(TYPED, JSON)
def test_issues_are_short_and_point_into_the_value(typed: Typed, value: Any) -> None:
    for issue in Codec.of(typed.schema).check(value):
        assert len(issue.found) <= MAX_FOUND
        assert max(map(len, (issue.pointer, issue.expected, issue.hint))) <= MAX_TEXT
        assert issue.hint
        at = value
        for part in issue.pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            at = at[int(key)] if isinstance(at, list) else at[key]
