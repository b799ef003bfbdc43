"""Extra keys that equal the Python name of a field, and the fields of a type."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toolgen.runtime.codec.building import rebuilt, typed_default
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.codec.codec_source import CodecSource
from toolgen.runtime.codec.models import ClosedModel, OpenModel
from toolgen.runtime.codec.pydantic_types import dump_options
from toolgen.runtime.codec.typed_values import plain


class Thing(OpenModel):
    a_b: Annotated[int, Field(alias="a-b")] = 4
    more: list[Thing] | None = None


class Other(OpenModel):
    a_b: Annotated[int, Field(alias="a-b")] = 5
    more: list[Thing] | None = None


class HostThing(BaseModel):
    model_config = ConfigDict(extra="allow")

    a_b: int = Field(4, alias="a-b")
    more: list[HostThing] = []


VALUES = [{"a_b": 1}, {"a_b": 1, "a-b": 2}, {"more": [{"a_b": [1]}, {"a-b": 1}]}, {"more": [{"more": [{"a_b": 1.0}]}]}]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("source", [CodecSource(name="x", schema={}, type=Thing),
                                    CodecSource(name="x", schema={}, type=HostThing, foreign=True)])  # fmt: skip
def test_an_extra_key_that_equals_a_python_name_is_kept(source: CodecSource, value: Any) -> None:
    codec = Codec[Any](lambda: source)
    typed = codec.decode(json.dumps(value))
    assert json.loads(codec.encode(typed)) == value
    assert typed.model_extra == {key: inner for key, inner in value.items() if key == "a_b"}


def test_values_with_defaults_and_other_classes_keep_it_too() -> None:
    codec = Codec[Any].of({}, Other)
    assert codec.encode(rebuilt(Other, typed_default(Thing, {"a_b": 1}))) == b'{"a_b":1}'
    assert rebuilt(Other, typed_default(Thing, {"a_b": 1})).a_b == 5


def test_a_field_given_by_two_names_is_an_error_with_both_names() -> None:
    with pytest.raises(ValidationError, match="`a_b` is the Python name of the field `a-b`"):
        Thing.model_validate({"a-b": 1, "a_b": 2})
    assert Thing.model_validate({"a_b": 2}) == Thing.model_validate({"a-b": 2})


class Unnamed(ClosedModel):
    x1: Annotated[int | None, Field(alias="")] = None


def test_a_name_in_json_may_be_empty() -> None:
    codec = Codec[Any].of({"properties": {"": {"type": "integer"}}}, Unnamed)
    assert plain(codec.decode('{"": 1}')) == {"": 1}


class Inner(ClosedModel):
    from_: Annotated[int, Field(alias="from")]


class Metadata(ClosedModel):
    metadata: Inner
    validation_alias: str
    type: str


class Optional(ClosedModel):
    schema_: Metadata | None = None


@dataclass
class Holder:
    inner: Inner


class OfHost(BaseModel):
    holder: Holder


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (list[Inner], {"by_alias"}),
        (Metadata, {"by_alias"}),
        (Optional, {"by_alias", "exclude_unset"}),
        (dict[str, Annotated[Inner | None, []]], {"by_alias"}),
        (dict[str, list[int] | str | bool | float | None], set[str]()),
        (OfHost, {"by_alias", "exclude_unset"}),
    ],
)
def test_a_type_is_generated_with_the_options_that_its_fields_need(kind: Any, options: set[str]) -> None:
    assert dump_options(kind).keys() == options
