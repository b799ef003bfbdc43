"""Codecs of compiled packages against jsonschema-rs: for all schemas, the same verdict on all values, without loss."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.properties.package import imported, same
from tests.properties.schemas import DIALECTS, Toolset, ToolSide, toolsets
from tests.properties.values import values
from tests.unit.compiler.specs import resolved
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime.codec.codec import Codec

# A failure shows one schema and one value. Shrinking the toolset around them would take minutes.
unhurried = settings(
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(unhurried, max_examples=12)
@given(st.data(), toolsets(tools=4))
def test_codecs_agree_with_the_validator_and_lose_nothing(data: st.DataObject, toolset: Toolset) -> None:
    check(toolset, lambda document: [data.draw(values(document)) for _ in range(5)])


@pytest.mark.long
@settings(unhurried, max_examples=4000)
@given(st.data(), toolsets(tools=4, depth=4))
def test_codecs_agree_with_the_validator_on_many_more_schemas(data: st.DataObject, toolset: Toolset) -> None:
    check(toolset, lambda document: [data.draw(values(document)) for _ in range(8)])


def _holder(name: str, fields: dict[str, Any], more: Any = True) -> dict[str, Any]:
    """Return an object with a field `name`, an object that has `fields`, and `more`."""
    inner = {"type": "object", "properties": {**fields, "more": more}}
    return {"type": "object", "properties": {name: inner}}


def _nested(depth: int) -> Any:
    return {"": _nested(depth - 1)} if depth else {}


FOUND: list[tuple[Any, list[Any]]] = [
    (
        {"type": ["object", "boolean"], "properties": {"a": {"type": "array", "items": {"$ref": "#"}}}},
        [True, {"a": [True]}, {"a": [{"a": [False, {}]}]}, {"a": [1]}],
    ),
    ({"enum": [1, 1e300]}, [1, 1.0, 1e300, int(1e300)]),
    ({"enum": [2, 2**63, -(2**64)]}, [2, 2.0, 2**63, 2.0**63, -(2**64), True]),
    (
        {"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#"}, "default": []}}},
        [{}, {"a": [{}]}],
    ),
    (
        {"type": "object", "properties": {"whole": {"type": "integer"}, "b": {"enum": [{"c": 1e300}, 2]}}},
        [{"whole": 1.0, "b": {"c": 1e300}}, {"whole": 1e300}, {"whole": 10**300}, {"whole": 2.0, "b": {"c": 10**300}}],
    ),
    ({"type": "integer", "maximum": 2.0**64, "not": {"const": 1e19}}, [2.0**63, 2**63, 1e19, 10**19]),
    (_holder("metadata", {"continue": {"type": "string"}}), [{"metadata": {"continue": ""}}, {"metadata": {}}, {}]),
    (
        {"type": "object", "properties": {"_uniqueItems": {"default": False}, "a-b": {"type": "integer"}}},
        [{"uniqueItems": True}, {"uniqueItems": 1, "_uniqueItems": True}, {"a_b": [1]}, {"a_b": 1, "a-b": 2}],
    ),
    (
        {"type": "object", "properties": {"": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}},
        [_nested(199), {"": None}, {"xe3b0c442": {}}],
    ),
    (
        _holder("x", {"a-b": {"type": "integer", "default": 1}}, {"type": "array", "items": {"$ref": "#"}}),
        [{"x": {"a_b": 1.0, "more": [{"x": {"a_b": None}}, {"x": {"a-b": 1.0, "a_b": 1.0}}]}}],
    ),
]
"""Schemas with which the search once found a defect, and the values that revealed it."""


@pytest.mark.parametrize(("schema", "found"), FOUND)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_codecs_agree_on_schemas_of_former_defects(dialect: str, schema: Any, found: list[Any]) -> None:
    args = {"type": "object", "properties": {"a": schema}}
    ident = "made.up.tool_0"
    check(Toolset(dialect, {}, (ToolSide(ident, "result", schema),)), lambda _document: found)
    if "$ref" not in json.dumps(schema):
        check(Toolset(dialect, {}, (ToolSide(ident, "args", args),)), lambda _document: [{"a": each} for each in found])


def test_args_are_objects_even_if_their_schema_is_only_a_reference() -> None:
    schema = {"type": "object", "$ref": "#/definitions/D", "definitions": {"D": {"type": ["array", "object"]}}}
    check(
        Toolset("draft-07", {}, (ToolSide("made.up.tool_0", "args", schema),)), lambda _document: [[], {}, {"a": 1}, 1]
    )


def _field_of(schema: Any, names: str = "a") -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, schema)}


SWAGGER = {"anyOf": [{"$ref": "#/types/Node"}, {"type": "boolean"}], "default": {}}
ENDLESS: dict[str, dict[str, Any]] = {
    "itself": {"Node": _field_of({"$ref": "#/types/Node", "default": {}}, "an")},
    "one of two": {"Node": {"type": "object", "properties": {"a": SWAGGER, "b": {"type": "string"}}}},
    "in a list": {"Node": _field_of({"type": "array", "items": {"$ref": "#/types/Node"}, "default": [{}]})},
    "in a map": {
        "Node": _field_of({"type": "object", "additionalProperties": {"$ref": "#/types/Node"}, "default": {"x": {}}})
    },
    "each other": {
        "Node": _field_of({"$ref": "#/types/Leaf", "default": {}}),
        "Leaf": _field_of({"$ref": "#/types/Node", "default": {}}),
    },
    "one level down": {
        "Node": _field_of({"$ref": "#/types/Leaf", "default": {"a": {}}}),
        "Leaf": _field_of({"$ref": "#/types/Node"}),
    },
    "doubling": {
        "Node": _field_of({"$ref": "#/types/D0", "default": {}}),
        **{f"D{level}": _field_of({"$ref": f"#/types/D{level + 1}", "default": {}}, "ab") for level in range(25)},
        "D25": _field_of({"type": "integer", "default": 1}),
    },
}
"""Types whose defaults, filled in for absent fields, would never end, or take too long."""


@pytest.mark.parametrize("name", ENDLESS)
def test_expanding_a_default_that_contains_itself_ends(name: str) -> None:
    sides = (ToolSide("made.up.tool_0", "result", {"$ref": "#/types/Node"}),)
    found: list[Any] = [{}, {"a": {}}, {"a": {"a": {}}}, {"a": [{}]}, {"a": 1}]
    for dialect in DIALECTS:
        check(Toolset(dialect, ENDLESS[name], sides), lambda _document: found)


def test_only_the_default_that_contains_itself_is_left_out() -> None:
    leaf = {"type": "object", "properties": {"a": {"$ref": "#/types/Leaf", "default": {}}, "n": {"default": 3}}}
    types = {"Node": _field_of({"$ref": "#/types/Leaf", "default": {}}), "Leaf": leaf}
    sides = (ToolSide("made.up.tool_0", "result", {"$ref": "#/types/Node"}),)
    found = resolved(json.dumps(Toolset("2020-12", types, sides).spec()))
    with imported(found.catalog) as catalog:
        codec: Codec[Any] = catalog.codec("made.up.tool_0", "result")
        typed = codec.decode("{}")
        assert (typed.a.n, typed.a.a) == (3, None)
        assert codec.encode(typed) == b"{}"


def check(toolset: Toolset, values_of: Callable[[Any], list[Any]]) -> None:
    """Compile a toolset and try each side of its tools with the values that `values_of` returns for its schema."""
    found = resolved(json.dumps(toolset.spec()))
    assert not found.has_errors, found.messages
    with imported(found.catalog) as catalog:
        for each in toolset.sides:
            document = toolset.document(each.schema)
            validator = jsonschema_rs.validator_for(document, validate_formats=False, offline=True)
            codec = catalog.codec(each.ident, each.side)
            for made in values_of(document):
                text = json.dumps(made)
                value = json.loads(text)
                accepted = validator.is_valid(value) and (each.side == "result" or isinstance(value, dict))
                try:
                    try_value(codec, value, text, accepted)
                except Exception as error:
                    verdict = "accepts" if accepted else "refuses"
                    raise AssertionError(f"{verdict} {text}: {json.dumps(document)}") from error


def try_value(codec: Codec[Any], value: Any, text: str, accepted: bool) -> None:
    assert (codec.check(value) == ()) == accepted
    if not accepted:
        with pytest.raises(InvalidPayload) as refused:
            codec.decode(text)
        assert refused.value.issues
        return
    typed = codec.decode(text)
    encoded = codec.encode(typed)
    assert same(json.loads(encoded), value)
    assert canonical(json.loads(encoded)) == encoded
    settled, result = codec.normalize(typed)
    assert settled == typed
    assert same(json.loads(result), value)
    model, dump, is_valid = codec.fast_dump
    dumped = dump(typed) if type(typed) is model else None
    assert dumped is None or not is_valid(dumped) or same(dumped, value)
