"""What refuses by another schema (`not`, `if`, `maxContains`): no import lets it refuse more than it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.importers.openapi.api import answer, body, import_api, openapi
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi import schemas as schemas_module
from toolgen.compiler.importers.openapi.files import Files
from toolgen.compiler.importers.openapi.schemas import Schemas
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.importers.openapi.schemas import Side

REF = "#/components/schemas/"
STRING = {"type": "string"}


def imported(schemas: Mapping[str, Any], side: Side = "args", name: str = "Root") -> tuple[Any, list[str]]:
    """Return a schema of a description as it is imported, with its definitions, and what was left out of it."""
    text = json.dumps(openapi({}, components={"schemas": schemas}))
    root = Files(lambda _file, reference: Source(reference, ""), str).open(Source("api.json", text), Diagnostics())
    assert root is not None
    known = root.at("components", "schemas")
    part = known.raw(name) if known is not None else None
    assert part is not None
    made = Schemas(is_old=False)
    written = made.written(part, side)
    whole = made.with_definitions(written, side) if isinstance(written, dict) else written
    return whole, [keywords for _, keywords in made.left_out.values()]


def fits(schema: Any, value: Any) -> bool:
    return jsonschema_rs.validator_for(schema).is_valid(value)


def long_chain(length: int) -> dict[str, Any]:
    """Return definitions of which each refers to the next."""
    chain = {f"L{at}": {"type": "object", "properties": {"next": {"$ref": f"{REF}L{at + 1}"}}} for at in range(length)}
    return {**chain, f"L{length}": {"type": "object"}}


LARGE = {"$ref": f"{REF}L0"}
EXACTLY_ONE = {"oneOf": [{"required": ["a"], "properties": {"a": {"const": 1}}}, {"required": ["b"]}]}
EITHER = {"$ref": f"{REF}Either"}
CHAIN = {"Either": EXACTLY_ONE, **long_chain(60)}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"not": EITHER}, {"a": 1, "b": 1}),
        ({"not": {"not": {"not": EITHER}}}, {"a": 1, "b": 1}),
        ({"if": EITHER, "then": False}, {"a": 1, "b": 1}),
        ({"contains": EITHER, "maxContains": 1}, [{"a": 1}, {"a": 1, "b": 1}]),
        ({"not": {"allOf": [{"anyOf": [{"$ref": f"{REF}Way"}]}]}}, {"a": 1, "b": 1}),
        ({"not": {"required": ["id"], "properties": {"id": {"readOnly": True}}}}, {}),
        ({"not": {"additionalProperties": False, "required": ["c"]}}, {"c": 1}),
    ],
)
def test_what_decides_stays_as_it_is_behind_references_too(schema: Any, value: Any) -> None:
    made, left_out = imported({"Root": schema, "Way": {"properties": {"c": EITHER}, "$ref": f"{REF}Either"}, **CHAIN})
    assert fits(made, value)
    assert left_out == []


@pytest.mark.parametrize(
    ("schema", "expected", "keywords"),
    [
        ({"type": "object", "not": LARGE}, {"type": "object"}, "`not`"),
        ({"if": LARGE, "then": False, "else": STRING, "minLength": 1}, {"minLength": 1}, "`if`, `then`, `else`"),
        ({"contains": LARGE, "maxContains": 1, "minContains": 0}, {"contains": {}, "minContains": 0}, "`maxContains`"),
        ({"allOf": [LARGE], "unevaluatedProperties": False}, {"allOf": [{}]}, "`unevaluatedProperties`"),
        ({"not": {"anyOf": [{"properties": {"c": LARGE}}]}}, {}, "`not`"),
    ],
)
def test_a_condition_that_leads_to_too_much_is_left_out_and_reported(schema: Any, expected: Any, keywords: str) -> None:
    definitions = {"Root": {"type": "object", "properties": {"v": {"$ref": f"{REF}Value"}}}, "Value": schema, **CHAIN}
    made, left_out = imported(definitions, "result")
    assert made["$defs"]["Value"] == expected if "$defs" in made else made["properties"]["v"] == expected
    assert left_out == [f"{keywords} (it leads to more than 50 definitions)"]


def test_what_is_left_out_is_reported_once_where_it_stands() -> None:
    schemas = {"Value": {"type": "object", "not": LARGE}, **CHAIN}
    paths = {f"/{name}": {"get": {"operationId": name, **answer({"$ref": f"{REF}Value"})}} for name in "ab"}
    outcome = import_api(openapi(paths, components={"schemas": schemas}))
    reason = "`not` (it leads to more than 50 definitions)"
    assert outcome.messages == [f"TG838 a condition is left out, so more values fit: {reason}"]
    assert outcome.data["types"]["Value"] == {"type": "object"}


def test_a_dynamic_reference_decides_nothing() -> None:
    made, left_out = imported({"Root": {"type": "string", "not": {"$dynamicRef": "#meta"}}})
    assert made == STRING
    assert left_out == ["`not` (it leads to a `$dynamicRef`)"]


def test_alternatives_that_are_widened_are_not_exclusive() -> None:
    """One that accepts more than it says would refuse what fits another."""
    branches = [{"required": ["a"], "not": {"$ref": f"{REF}L0"}}, {"required": ["b"]}]
    made, _ = imported({"Root": {"oneOf": branches}, **long_chain(310)})
    assert made == {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}


def test_a_definition_that_is_the_same_both_ways_is_one() -> None:
    schemas = {"Root": {"not": {"$ref": f"{REF}Text"}, "properties": {"t": {"$ref": f"{REF}Text"}}}, "Text": STRING}
    made, _ = imported(schemas)
    assert made["$defs"] == {"Text": STRING}


# No value that fits is refused by what is imported; one that does not is accepted only where something is widened.

NAMES = st.sampled_from("ab")
VALUES = st.recursive(
    st.sampled_from([None, 0, 1, "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=6,
)
LEAVES = st.one_of(
    st.sampled_from(["object", "array", "string", "integer"]).map(lambda kind: {"type": kind}),
    st.sampled_from([0, 1, "x"]).map(lambda value: {"const": value}),
    NAMES.map(lambda name: {"required": [name]}),
    st.booleans(),
)
COUNT = 4


def schemas_from(first: int) -> st.SearchStrategy[Any]:
    """Return schemas that refer to later definitions for the same value, and to any for others."""
    later = st.integers(first, COUNT).map(lambda at: {"$ref": f"{REF}D{at}"}) if first <= COUNT else st.nothing()
    anywhere = st.integers(0, COUNT).map(lambda at: {"$ref": f"{REF}D{at}"})

    def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        other, several = inner | anywhere, st.lists(inner, min_size=1, max_size=2)
        properties = st.dictionaries(NAMES, other, min_size=1, max_size=2)
        return st.one_of(
            st.tuples(st.sampled_from(["allOf", "anyOf", "oneOf"]), several).map(lambda pair: dict([pair])),
            inner.map(lambda schema: {"not": schema}),
            st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
            st.fixed_dictionaries({"properties": properties}, optional={"required": st.just(["a"])}),
            st.fixed_dictionaries({"allOf": several, "unevaluatedProperties": other}),
            st.fixed_dictionaries({"contains": other}, optional={"maxContains": st.integers(0, 2)}),
            st.dictionaries(NAMES, inner, min_size=1, max_size=1).map(lambda map_: {"dependentSchemas": map_}),
            other.map(lambda schema: {"items": schema}),
            st.fixed_dictionaries({"properties": properties, "additionalProperties": other}),
            st.fixed_dictionaries({"prefixItems": several, "unevaluatedItems": other}),
        )  # fmt: skip

    return st.recursive(LEAVES | later, composed, max_leaves=5)


DESCRIPTIONS = st.tuples(*(schemas_from(at + 1) for at in range(COUNT + 1))).map(
    lambda made: {f"D{at}": schema for at, schema in enumerate(made)}
)


@pytest.mark.parametrize("largest", [1, 2, 300])
@given(schemas=DESCRIPTIONS, values=st.lists(VALUES, min_size=4, max_size=8), side=st.sampled_from(["args", "result"]))
def test_no_value_that_fits_is_refused(largest: int, schemas: Any, values: list[Any], side: Side) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schemas_module, "_LARGEST", {"args": largest, "result": largest})
        made, left_out = imported(schemas, side, "D0")
    said = {"$ref": f"{REF}D0", "components": {"schemas": schemas}}
    is_same = largest == 300 and not left_out and "oneOf" not in json.dumps(schemas)
    for value in values:
        is_valid = fits(said, value)
        assert fits(made, value) or not is_valid, value
        assert is_valid or not is_same or not fits(made, value), value


# Fields that are not for a side are required nowhere, however the schema is put together.

BASE = {"type": "object", "required": ["id", "name"], "properties": {"id": STRING, "name": STRING}}
HIDES = {"properties": {"id": {"readOnly": True}}}
COMPOSED: dict[str, Any] = {
    "a reference": {"allOf": [{"$ref": f"{REF}Base"}, HIDES]},
    "a reference to a reference": {"allOf": [{"$ref": f"{REF}Again"}, HIDES]},
    "deeper": {"allOf": [{"allOf": [{"$ref": f"{REF}Deeper"}]}, HIDES]},
    "beside": {"$ref": f"{REF}Base", **HIDES},
    "the other way": {"allOf": [{"$ref": f"{REF}Hides"}, {"$ref": f"{REF}Base"}]},
    "alternatives": {**HIDES, "anyOf": [{"$ref": f"{REF}Base"}, {"type": "null"}]},
    "one of the alternatives": {"required": ["id"], "anyOf": [HIDES, {"type": "null"}]},
    "a condition": {**HIDES, "if": True, "then": {"$ref": f"{REF}Base"}},
    "a dependency": {**HIDES, "dependentSchemas": {"name": {"$ref": f"{REF}Base"}}},
    "a dependency on it": {**HIDES, "dependentRequired": {"name": ["id"]}},
    "which fields are given": {**HIDES, "oneOf": [{"required": ["id", "name"]}, {"required": ["b"]}]},
    "a discriminator": {
        "oneOf": [{"$ref": f"{REF}Hidden"}],
        "discriminator": {"propertyName": "id", "mapping": {"x": "Hidden"}},
    },
}
SHARED = {
    "Base": BASE,
    "Again": {"$ref": f"{REF}Base"},
    "Deeper": {"allOf": [{"$ref": f"{REF}Base"}]},
    "Hides": HIDES,
    "Hidden": {**BASE, **HIDES},
}


@pytest.mark.parametrize("name", COMPOSED)
def test_a_readonly_field_is_required_of_no_call(name: str) -> None:
    made, _ = imported({"Root": COMPOSED[name], **SHARED})
    assert fits(made, {"name": "x"})


@pytest.mark.parametrize("name", COMPOSED)
def test_a_writeonly_field_is_required_of_no_result(name: str) -> None:
    turned = json.loads(json.dumps({"Root": COMPOSED[name], **SHARED}).replace("readOnly", "writeOnly"))
    made, _ = imported(turned, "result")
    assert fits(made, {"name": "x"})
    assert fits(imported(turned, "args")[0], {"id": "x", "name": "x"})


def test_definitions_without_a_field_have_a_name_that_tells_it() -> None:
    fields = {"type": "object", "properties": {"pet": COMPOSED["a reference"], "other": {"$ref": f"{REF}Base"}}}
    made, _ = imported({"Root": fields, **SHARED})
    assert made["properties"]["pet"]["allOf"][0] == {"$ref": "#/$defs/BaseWithoutId"}
    assert made["$defs"] == {
        "Base": BASE,
        "BaseWithoutId": {"type": "object", "required": ["name"], "properties": {"name": STRING}},
    }


@pytest.mark.parametrize("members", [[{"$ref": f"{REF}Base"}, HIDES], [HIDES, {"$ref": f"{REF}Base"}]])
def test_a_body_has_no_arg_for_a_readonly_field(members: list[Any]) -> None:
    operation = {"operationId": "op", **body({"allOf": members}, required=True), **answer(STRING)}
    args = import_api(openapi({"/x": {"post": operation}}, components={"schemas": SHARED})).tools["op"]["args"]
    assert list(args["properties"]) == ["name"]
    assert args["required"] == ["name"]


def test_a_schema_of_too_many_others_that_hide_other_fields_is_left_out() -> None:
    """Two ways on each level: the number of ways doubles, and that of definitions may not."""
    levels: dict[str, Any] = {}
    for at in range(20):
        below = {"$ref": f"{REF}T{at + 1}"}
        ways = ({"allOf": [below, {"properties": {f"{way}{at}": {"readOnly": True}}}]} for way in "ab")
        levels[f"T{at}"] = {"anyOf": list(ways)}
    levels["T20"] = {"required": [f"{way}{at}" for way in "ab" for at in range(20)]}
    operation = {"operationId": "op", **body({"$ref": f"{REF}T0"}), **answer(STRING)}
    outcome = import_api(openapi({"/x": {"post": operation}}, components={"schemas": levels}))
    assert outcome.codes == ["TG831"]
    assert "too many others" in outcome.messages[0]
