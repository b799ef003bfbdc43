"""Containment by each keyword: what is contained is proved, and what is not has a counterexample."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.schema.bounds import Bounds, compiled_validator
from toolgen.schema.comparison.compare import Verdict, compare

TREE = {"type": "object", "properties": {"value": {"type": "integer"}, "below": {"items": {"$ref": "#/$defs/T"}}}}
D4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
D6 = {"$schema": "http://json-schema.org/draft-06/schema#"}
D7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
D2019 = {"$schema": "https://json-schema.org/draft/2019-09/schema"}


def fields(*required: str, **properties: Any) -> dict[str, Any]:
    made = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": [*required]} if required else made


def kind(name: str, **properties: Any) -> dict[str, Any]:
    return fields("kind", kind={"const": name}, **properties)


NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
STRING = {"type": "string"}
ANY_ORDER = {"oneOf": [kind("a", x=INTEGER), kind("b", x=STRING)]}

STRICTLY_WIDER: list[tuple[Any, Any]] = [
    (False, {"type": "null"}),
    ({"type": "null"}, True),
    ({"$ref": "#/$defs/x", "$defs": {"x": False}}, {"$defs": {"x": False}}),
    ({"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": False}}, {"type": "null"}),
    ({"not": {"$ref": "#/$defs/x"}, "$defs": {"x": True}}, {"not": {"$ref": "#/$defs/x"}, "$defs": {"x": False}}),
    (INTEGER, NUMBER),
    (STRING, {"type": ["string", "null"]}),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}),
    ({"const": 1}, {"enum": [1, 2]}),
    ({"enum": [1.0, "a"]}, {"enum": ["a", 1, None]}),
    ({"enum": [{"a": [1, 2.0]}]}, {"type": "object", "properties": {"a": {"items": INTEGER}}}),
    ({"enum": [{"a": 1}, 2]}, {"enum": [2, {"a": 1}, 3]}),
    ({"enum": ["a"]}, STRING),
    ({"minimum": 2}, {"minimum": 1}),
    ({"minimum": 2}, {"exclusiveMinimum": 1.5}),
    ({"exclusiveMinimum": 2}, {"minimum": 2}),
    ({"exclusiveMaximum": 2}, {"maximum": 2}),
    ({"maximum": 2}, {"exclusiveMaximum": 2.5}),
    ({"type": "integer", "minimum": 1, "maximum": 3}, {"type": "integer", "minimum": 0.5, "maximum": 4}),
    ({"type": "integer", "minimum": 1, "maximum": 2}, {"enum": [1, 2, 3]}),
    ({"type": "number", "minimum": 1, "maximum": 1}, {"enum": [1, 2]}),
    ({"type": "integer", "minimum": 2**53 + 1}, {"type": "integer", "minimum": 2**53}),
    ({"multipleOf": 4}, {"multipleOf": 2}),
    ({"type": "number", "multipleOf": 2}, {"type": "integer"}),
    ({"type": "integer", "multipleOf": 4, "minimum": 1, "maximum": 9}, {"enum": [4, 8, 9]}),
    ({"type": "integer"}, {"type": "number", "multipleOf": 0.5}),
    ({"minLength": 2, "type": "string"}, {"minLength": 1, "type": "string"}),
    ({"maxLength": 1, "type": "string"}, {"maxLength": 2, "type": "string"}),
    ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "a"}),
    ({"type": "string", "pattern": "^[a-z]{2,5}$"}, {"type": "string", "minLength": 2, "maxLength": 5}),
    ({"type": "string", "pattern": "^(a|b)$"}, {"enum": ["a", "b", "c"]}),
    ({"enum": ["ab", "cb"]}, {"type": "string", "pattern": "b$"}),
    ({"type": "string", "pattern": "(?=y)y", "minLength": 2}, {"type": "string", "pattern": "(?=y)y"}),
    ({"maxItems": 2, "items": INTEGER}, {"items": NUMBER}),
    ({"items": False}, {"maxItems": 1}),
    ({"prefixItems": [STRING], "items": INTEGER}, {"prefixItems": [True, NUMBER], "items": NUMBER}),
    ({"prefixItems": [STRING], "items": False}, {"maxItems": 1}),
    ({"contains": STRING}, {"minItems": 1}),
    ({"contains": INTEGER, "minContains": 2}, {"contains": NUMBER}),
    ({"contains": NUMBER, "maxContains": 1}, {"contains": NUMBER, "maxContains": 2}),
    ({"contains": STRING, "maxContains": 0, "minContains": 0}, {"contains": {"const": "a"}, "maxContains": 0,
                                                                 "minContains": 0}),
    ({"type": "array", "uniqueItems": True}, {"type": "array"}),
    ({"required": ["a", "b"]}, {"required": ["b"]}),
    (fields(a=STRING), fields(a=STRING, b=STRING)),
    (fields(a=STRING), {"type": "object", "properties": {"a": STRING}}),
    (fields("a", a=STRING), fields(a=STRING)),
    (fields(a=STRING), {"type": "object", "maxProperties": 1}),
    ({"type": "object", "required": ["a", "b"]}, {"type": "object", "minProperties": 2}),
    ({"type": "object", "maxProperties": 2}, {"type": "object", "maxProperties": 4}),
    ({"type": "object", "minProperties": 3}, {"type": "object", "minProperties": 2}),
    ({"type": "object", "maxProperties": 1, "required": ["a"]}, fields(a=True)),
    (fields(a=STRING), {"type": "object", "additionalProperties": STRING}),
    (fields(a=STRING), {"type": "object", "propertyNames": {"maxLength": 1}}),
    ({"propertyNames": {"enum": ["a", "b"]}}, {"maxProperties": 2}),
    ({"propertyNames": {"enum": ["a", "b"]}}, {"propertyNames": {"pattern": "^[a-c]$"}}),
    ({"patternProperties": {"^x": INTEGER}}, {"patternProperties": {"^x": NUMBER}}),
    ({"patternProperties": {"^x": INTEGER}}, {"properties": {"x1": NUMBER}}),
    ({"patternProperties": {"^x": INTEGER}}, {"patternProperties": {"^xy": INTEGER}}),
    ({"type": "object", "patternProperties": {"^x": True}, "additionalProperties": False},
     {"type": "object", "propertyNames": {"pattern": "x"}}),
    ({"type": "object", "patternProperties": {"^x": INTEGER}, "additionalProperties": False},
     {"type": "object", "additionalProperties": INTEGER}),
    ({"dependentRequired": {"a": ["b", "c"]}}, {"dependentRequired": {"a": ["b"]}}),
    ({"required": ["b"]}, {"dependentRequired": {"a": ["b"]}}),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"dependentSchemas": {"a": {"minProperties": 2}}}),
    ({"properties": {"a": True}, "unevaluatedProperties": False},
     {"properties": {"a": True, "b": True}, "unevaluatedProperties": False}),
    ({"allOf": [{"properties": {"a": True}}], "properties": {"b": True}, "unevaluatedProperties": False},
     {"properties": {"a": True, "b": True}, "unevaluatedProperties": INTEGER}),
    ({"anyOf": [{"properties": {"a": True}}, {"properties": {"b": True}}], "unevaluatedProperties": False},
     {"properties": {"a": True, "b": True, "c": True}, "additionalProperties": False}),
    ({"properties": {"b": True}, "required": ["b"], "additionalProperties": False},
     {"anyOf": [{"properties": {"a": True}, "required": ["a"]}, {"required": ["b"]}], "properties": {"b": True},
      "unevaluatedProperties": False}),
    ({"prefixItems": [True], "unevaluatedItems": False}, {"maxItems": 2}),
    (STRING, {"anyOf": [STRING, {"type": "null"}]}),
    ({"anyOf": [STRING, INTEGER]}, {"type": ["string", "number"]}),
    ({"oneOf": [STRING, INTEGER]}, {"anyOf": [STRING, NUMBER]}),
    ({"oneOf": [{"minimum": 1}, {"maximum": 1}], "type": "number"}, {"type": "number"}),
    (ANY_ORDER, {"oneOf": [*ANY_ORDER["oneOf"], kind("c")]}),
    (ANY_ORDER, {"oneOf": [kind("b", x=STRING), kind("a", x=NUMBER)]}),
    ({"anyOf": [kind(str(number)) for number in range(12)]}, {"oneOf": [kind(str(number)) for number in range(13)]}),
    ({"allOf": [{"minimum": 1}, {"minimum": 3}]}, {"minimum": 2}),
    ({"not": NUMBER}, {"not": INTEGER}),
    ({"not": {"anyOf": [STRING, INTEGER]}}, {"not": STRING}),
    ({"if": STRING, "then": {"minLength": 2}, "else": False}, STRING),
    ({"if": {"required": ["a"]}, "then": {"required": ["b", "c"]}}, {"dependentRequired": {"a": ["b"]}}),
    ({"$ref": "#/$defs/T", "$defs": {"T": {**TREE, "required": ["value"]}}},
     {"$ref": "#/$defs/T", "$defs": {"T": TREE}}),
    (fields(a={"$ref": "#/$defs/T"}) | {"$defs": {"T": TREE}},
     fields(a={"$ref": "#/$defs/U"}, b=True) | {"$defs": {"U": {**TREE, "properties": {
         "value": INTEGER, "below": {"items": {"$ref": "#/$defs/U"}}}}}}),
    ({"properties": {"a": {"oneOf": [STRING, {"$ref": "#"}]}}, "type": "object", "required": ["b"]},
     {"properties": {"a": {"anyOf": [{"$ref": "#"}, STRING]}}, "type": "object"}),
    ({"items": {"$ref": "#node"}, "$defs": {"n": {"$anchor": "node", "type": "integer"}}}, {"items": NUMBER}),
    ({"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "type": "array", "minItems": 1}, {"type": "array"}),
    ({**D2019, "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}, "type": "array"},
     {"items": {"type": "array"}}),
    ({**D7, "properties": {"a": {"$ref": "#/definitions/S", "maxLength": 1}}, "definitions": {"S": STRING}},
     {"properties": {"a": {"type": ["string", "null"]}}}),
    ({**D4, "minimum": 1, "exclusiveMinimum": True}, {"minimum": 1}),
    ({**D4, "type": "integer"}, {"type": "integer"}),
    ({**D4, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"dependentRequired": {"a": ["b"]}}),
    ({**D7, "items": [STRING], "additionalItems": False}, {"prefixItems": [STRING]}),
    ({**D7, "additionalItems": False, "items": STRING}, {"items": {"type": ["string", "null"]}}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("narrow", "wide"), STRICTLY_WIDER)
@pytest.mark.variants(30)
def test_a_wider_schema_is_proved_to_be_and_has_a_counterexample(narrow: Any, wide: Any) -> None:
    for search in (True, False):
        assert compare(narrow, wide, search=search).lost.verdict is Verdict.NONE
        assert compare(wide, narrow, search=search).gained.verdict is Verdict.NONE
    assert compare(narrow, wide).gained.verdict is Verdict.FOUND
    assert compare(wide, narrow).lost.verdict is Verdict.FOUND


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "integer", "exclusiveMinimum": 0}),
        ({"type": "integer", "maximum": 2.5}, {"type": "integer", "exclusiveMaximum": 3}),
        ({"enum": [True, False]}, {"type": "boolean"}),
        ({"type": ["null", "boolean"]}, {"enum": [None, True, False]}),
        ({"type": "integer"}, {"type": "number", "multipleOf": 1}),
        ({"const": 1}, {"const": 1.0}),
        ({"not": {"not": STRING}}, STRING),
        ({"type": "string", "minLength": 3, "maxLength": 2}, False),
        ({"type": "array", "minItems": 1, "items": False}, False),
        ({"type": "object", "required": ["a"], "properties": {"a": False}}, False),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}, False),
        ({"type": "string", "pattern": "^a", "maxLength": 0}, False),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"dependentRequired": {"a": ["b"]}}),
        ({"anyOf": [{"minimum": 0}, {"maximum": 0}]}, True),
        ({"anyOf": [STRING, {"not": STRING}]}, True),
        ({"type": "string", "maxLength": 0}, {"const": ""}),
        ({"type": ["null", "boolean", "integer", "number", "string", "array", "object"]}, True),
        ({"type": "number", "minimum": 1.5, "exclusiveMaximum": 1.5}, False),
        ({"type": "number", "exclusiveMinimum": 1.5, "maximum": 1.5}, False),
        ({"$id": "https://a.example/s", "$ref": "https://a.example/s#/$defs/S", "$defs": {"S": STRING}}, STRING),
        ({"contains": INTEGER, "minContains": 0}, True),
        ({"contains": False, "minContains": 0, "type": "array"}, {"type": "array"}),
        ({"contains": INTEGER, "minContains": 0, "maxContains": 0}, {"items": {"not": INTEGER}}),
        ({**D7, "const": 1, "$ref": "#/definitions/S", "definitions": {"S": STRING}}, STRING),
        ({**D4, "const": 1, "contains": False, "propertyNames": False, "if": True, "then": False}, {**D4}),
    ],
)  # fmt: skip
def test_schemas_that_are_written_differently_are_proved_equal(one: Any, other: Any) -> None:
    comparison = compare(one, other, search=False)
    assert (comparison.lost.verdict, comparison.gained.verdict) == (Verdict.NONE, Verdict.NONE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (STRING, INTEGER),
        (fields(a=STRING), fields(b=STRING)),
        ({"minimum": 1, "type": "number"}, {"maximum": 5, "type": "number"}),
        ({"multipleOf": 2}, {"multipleOf": 3}),
        ({"type": "number", "minimum": 1.5, "maximum": 1.5}, {"type": "number", "minimum": 2}),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}),
        ({"type": "array", "not": {"uniqueItems": True}}, {"type": "array", "minItems": 3}),
        ({"type": "array", "contains": STRING, "maxContains": 1}, {"type": "array", "maxItems": 1}),
        (
            {"type": "array", "prefixItems": [STRING], "contains": STRING, "maxContains": 1},
            {"type": "array", "maxItems": 1},
        ),
        (
            {"type": "array", "allOf": [{"not": {"items": STRING}}, {"not": {"items": {"not": STRING}}}]},
            {"type": "array", "maxItems": 1},
        ),
        (
            {"properties": {"a": True, "b": True}, "required": ["b"], "additionalProperties": False},
            {
                "anyOf": [{"properties": {"a": INTEGER}, "required": ["a"]}, {"required": ["b"]}],
                "properties": {"b": True},
                "unevaluatedProperties": False,
            },
        ),
        ({"pattern": "^a"}, {"pattern": "b$"}),
        ({"items": STRING}, {"items": INTEGER}),
        ({"patternProperties": {"^x": INTEGER}}, {"patternProperties": {"y$": INTEGER}}),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"required": ["a"]}),
        ({"not": {"items": STRING}}, {"not": {"items": INTEGER}}),
        (
            {"prefixItems": [True], "items": STRING, "not": {"uniqueItems": True}},
            {"prefixItems": [True], "items": {"not": STRING}, "not": {"uniqueItems": True}},
        ),
    ],
)
def test_unrelated_schemas_have_counterexamples_in_both_directions(before: Any, after: Any) -> None:
    comparison = compare(before, after)
    assert (comparison.lost.verdict, comparison.gained.verdict) == (Verdict.FOUND, Verdict.FOUND)


@pytest.mark.parametrize("draft", [None, "http://json-schema.org/draft-07/schema#"])
def test_formats_count_where_they_are_asserted(draft: str | None) -> None:
    schema = {"type": "string", "format": "date"}
    other = {"type": "string", **({"$schema": draft} if draft else {})}
    assert compare(schema, other).gained.verdict is Verdict.NONE
    asserted = compare(schema, other, formats_before=True, formats_after=True)
    assert (asserted.lost.verdict, asserted.gained.verdict) == (Verdict.NONE, Verdict.FOUND)
    turned_on = compare(schema, schema, formats_after=True)
    assert (turned_on.lost.verdict, turned_on.gained.verdict) == (Verdict.FOUND, Verdict.NONE)


@pytest.mark.parametrize("keyword", [{"contentMediaType": "application/json"}, {"contentEncoding": "base64"}])
@pytest.mark.parametrize("draft", [D4, D6, D7, D2019, {}])
def test_content_keywords_count_where_the_validator_checks_them_with_formats(draft: Any, keyword: Any) -> None:
    schema, without = {**draft, "type": "string", **keyword}, {**draft, **STRING}
    assert compare(schema, without).gained.verdict is Verdict.NONE
    is_checked = not is_valid(schema, "}", assert_formats=True)
    assert is_checked is (draft in (D6, D7))
    asserted = compare(schema, without, formats_before=True, formats_after=True)
    verdict = Verdict.FOUND if is_checked else Verdict.NONE
    assert (asserted.lost.verdict, asserted.gained.verdict) == (Verdict.NONE, verdict)
    assert compare(schema, schema, formats_after=True).lost.verdict is verdict


def is_valid(schema: Any, value: Any, *, assert_formats: bool) -> bool:
    return compiled_validator(schema, Bounds(schema), assert_formats=assert_formats).is_valid(value)


EVALUATED: list[tuple[Any, Any, Any]] = [
    ({"contains": INTEGER, "minContains": 0, "unevaluatedItems": False}, {"maxItems": 0}, [1]),
    ({"contains": INTEGER, "minContains": 0, "maxContains": 2, "unevaluatedItems": False}, {"maxItems": 0}, [1]),
    ({"allOf": [{"contains": INTEGER, "minContains": 0}], "unevaluatedItems": False}, {"maxItems": 0}, [1]),
    ({**D2019, "contains": INTEGER, "unevaluatedItems": False}, {"maxItems": 0}, [1]),
    ({"items": INTEGER, "unevaluatedItems": False}, {"maxItems": 0}, [1]),
    ({"allOf": [{"prefixItems": [True]}], "items": INTEGER, "unevaluatedItems": False}, {"maxItems": 1}, [1, 2]),
    ({"allOf": [{"prefixItems": [True]}], "unevaluatedItems": False}, {"maxItems": 0}, ["a"]),
    ({"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}, {"maxProperties": 0}, {"a": 1}),
    *(
        ({keyword: [fields_of, {"required": ["b"]}], "unevaluatedProperties": False}, {"maxProperties": 0}, {"a": 1})
        for keyword in ("anyOf", "oneOf")
        for fields_of in (
            {"properties": {"a": True}},
            {"additionalProperties": True},
            {"patternProperties": {"a": True}},
        )
    ),
    (
        {"anyOf": [{"additionalProperties": INTEGER}, {"properties": {"b": True}}], "unevaluatedProperties": False},
        {"properties": {"b": True}, "additionalProperties": False},
        {"c": 1},
    ),
    (
        {"if": {"properties": {"a": INTEGER}}, "then": True, "unevaluatedProperties": False},
        {"maxProperties": 0},
        {"a": 1},
    ),
    (
        {"dependentSchemas": {"a": {"properties": {"a": True}}}, "unevaluatedProperties": False},
        {"maxProperties": 0},
        {"a": 1},
    ),
]
"""Schemas in which the value is evaluated by a keyword beside `unevaluated…`."""


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        *EVALUATED,
        ({"prefixItems": [STRING], "items": INTEGER}, {"items": INTEGER}, ["a"]),
        ({"type": "array"}, {"unevaluatedItems": False}, [1]),
        (
            {"allOf": [{"$id": "https://a.example/p", "prefixItems": [True]}], "unevaluatedItems": False},
            {"maxItems": 0},
            [1],
        ),
        ({**D7, "contains": INTEGER, "maxContains": 0}, {"not": {"type": "array"}}, [1]),
        ({"const": 1}, {"not": {"const": 1.0}}, 1),
        ({"type": "integer", "exclusiveMinimum": 1.5}, {"type": "integer", "minimum": 3}, 2),
        ({"type": "integer", "exclusiveMaximum": 1.5}, {"type": "integer", "maximum": 0}, 1),
        ({"$defs": {"r": {"$id": "r", "$anchor": "A", **STRING}, "l": {"$anchor": "A"}}, "$ref": "#A"}, STRING, 1),
        ({"$defs": {"l": {"$anchor": "A"}, "r": {"$id": "r", "$anchor": "A", **STRING}}, "$ref": "#A"}, STRING, 1),
        (
            {"patternProperties": {f"^{each}": True for each in "abcdef"}, "propertyNames": {"pattern": "^a"}},
            {"maxProperties": 0},
            {"a": 1},
        ),
    ],
)
def test_a_value_that_is_lost_is_never_excluded(before: Any, after: Any, value: Any) -> None:
    assert compare(before, after, search=False).lost.verdict is not Verdict.NONE
    assert compare(before, after, instances=[value]).lost.verdict is Verdict.FOUND


@pytest.mark.parametrize("between", ["B", "C"])
def test_what_is_impossible_only_inside_itself_is_possible_elsewhere(between: str) -> None:
    def pairs(*names: str, **definitions: Any) -> dict[str, Any]:
        items = [{"$ref": f"#/$defs/{name}"} for name in names]
        own = {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        return {**own, "$defs": definitions} if definitions else own

    schema = pairs(
        "A",
        between,
        A={"anyOf": [pairs(between), {"type": "object", "maxProperties": 0}]},
        B={"anyOf": [pairs("A"), {"type": "object", "required": ["b"], "properties": {"b": {"$ref": "#/$defs/B"}}}]},
        C=pairs("B"),
    )
    assert compare(schema, False).lost.verdict is Verdict.FOUND
    assert compare(schema, False, search=False).lost.verdict is not Verdict.NONE
