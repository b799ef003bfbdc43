"""Schemas of OpenAPI as JSON Schema 2020-12: each accepts what its author meant."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.compiler.importers.openapi.api import OK, TOOLSET, answer, body, import_api, openapi, parameter, tool
from tests.unit.compiler.specs import resolved
from toolgen.compiler.ir.shapes import Array, ClassRef, Union

STRING = {"type": "string"}


def written(schema: Any, version: str = "3.0.3", **schemas: Any) -> Any:
    """Return a schema as it is written in the args."""
    made = tool({"parameters": [parameter("v", schema=schema)]}, version=version, components={"schemas": schemas})
    return made["args"]["properties"]["v"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, STRING),
        ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "string", "nullable": True, "enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"nullable": True, "description": "Any."}, {"description": "Any."}),
        ({"allOf": [STRING], "nullable": True, "description": "x"}, {"description": "x", "anyOf": [{"allOf": [STRING]}, {"type": "null"}]}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": False}, {"type": "integer", "minimum": 1}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, {"type": "integer", "exclusiveMaximum": 9}),
        ({"type": "integer", "exclusiveMaximum": True}, {"type": "integer"}),
        ({"type": "string", "example": "a", "x-order": 1, "xml": {"name": "n"}, "externalDocs": {"url": "u"}}, {"type": "string", "examples": ["a"]}),
        ({"type": "string", "required": True}, STRING),
        ({"type": "string", "default": None}, STRING),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        ({"type": "array", "items": {"type": "string", "nullable": True}}, {"type": "array", "items": {"type": ["string", "null"]}}),
    ],
)  # fmt: skip
def test_keywords_of_openapi_3_0_are_converted(schema: Any, expected: Any) -> None:
    assert written(schema) == expected


def test_schemas_of_3_1_are_json_schema() -> None:
    schema = {"type": ["string", "null"], "examples": ["a", "b"], "exclusiveMinimum": 3, "const": None}
    assert written(schema, "3.1.1") == {**schema, "examples": ["a"]}
    assert written(True, "3.1.0") is True


def test_siblings_of_a_reference_are_kept_as_each_version_means_them() -> None:
    beside = {"$ref": "#/components/schemas/A", "description": "It.", "nullable": True, "maxLength": 3}
    a = {"A": {"type": "string"}}
    reference = {"$ref": "#/$defs/A"}
    assert written(beside, "3.0.0", **a) == {"description": "It.", "anyOf": [reference, {"type": "null"}]}
    assert written(beside, "3.1.0", **a) == {**reference, "description": "It.", "maxLength": 3}


def test_args_have_no_readonly_fields_and_results_no_writeonly_ones() -> None:
    account = {
        "type": "object",
        "required": ["id", "password", "name"],
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "password": {"type": "string", "writeOnly": True},
            "name": STRING,
            "parent": {"$ref": "#/components/schemas/Account"},
            "secret": {"$ref": "#/components/schemas/Secret"},
        },
    }
    schemas = {"Account": account, "Secret": {"type": "string", "writeOnly": True}}
    operation = {**body({"type": "object", "properties": {"account": {"$ref": "#/components/schemas/Account"}}}),
                 **answer({"$ref": "#/components/schemas/Account"})}  # fmt: skip
    made = tool(operation, method="post", components={"schemas": schemas})
    sent, received = made["args"]["$defs"]["Account"], made["result"]["$defs"]["Account"]
    assert (list(sent["properties"]), sent["required"]) == (
        ["password", "name", "parent", "secret"],
        ["password", "name"],
    )
    assert (list(received["properties"]), received["required"]) == (["id", "name", "parent"], ["id", "name"])


CAT = {"type": "object", "required": ["name"], "properties": {"kind": STRING, "name": STRING}}
DOG = {"type": "object", "required": ["name"], "properties": {"kind": {"enum": ["dog"]}, "name": STRING}}


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_discriminator_decides_between_similar_branches(keyword: str) -> None:
    pet = {
        keyword: [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "tom": "Cat"}},
    }
    schemas = {"Cat": CAT, "Dog": DOG, "Pet": pet}
    listed = {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}
    operation = {"operationId": "op", **body(listed), **answer(listed)}
    outcome = import_api(openapi({"/x": {"post": operation}}, components={"schemas": schemas}))
    assert outcome.codes == []
    cat = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["cat", "tom"]}}}
    branches = [{"title": "Cat", "allOf": [{"$ref": "#/types/Cat"}, cat]}, {"$ref": "#/types/Dog"}]
    assert outcome.data["types"]["Pet"] == {"anyOf": branches}
    made = outcome.tools["op"]
    assert made["args"]["properties"]["body"] == made["result"] == {"type": "array", "items": {"$ref": "#/types/Pet"}}
    shape = resolved(outcome.text).tools[f"{TOOLSET}.op"].result.shape
    assert isinstance(shape, Array)
    assert isinstance(shape.items, Union)
    assert shape.items.members == (ClassRef("PetCat"), ClassRef("Dog"))


@pytest.mark.parametrize("kind", [STRING, {"const": "cat"}, {"type": "string", "enum": ["cat", "dog"]}])
def test_alternatives_that_say_the_value_of_the_discriminator_themselves_stay_as_they_are(kind: Any) -> None:
    schemas = {
        "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": kind}},
        "Dog": {"allOf": [{"type": "object", "properties": {"kind": {"const": "dog"}}}]},
    }
    mapping = {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}
    pet = {
        "oneOf": [{"$ref": path} for path in mapping.values()],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }
    listed = answer({"type": "array", "items": {"$ref": "#/components/schemas/Pet"}})
    paths = {f"/{name}": {"get": {"operationId": name, **listed}} for name in ("get", "list")}
    outcome = import_api(openapi(paths, components={"schemas": {**schemas, "Pet": pet}}))
    cat, dog = outcome.data["types"]["Pet"]["anyOf"]
    assert dog == {"$ref": "#/types/Dog"}
    assert ("allOf" in cat) == (kind == STRING)


def test_a_recursive_schema_refers_to_itself() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/node"}}}
    made = tool(answer({"$ref": "#/components/schemas/node"}), components={"schemas": {"node": node}})
    assert made["result"] == {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }


def test_definitions_are_shared_between_tools_under_unique_names() -> None:
    schemas = {"shop.item": {"type": "object", "properties": {"a": STRING}}, "ShopItem": {"type": "integer"}}
    paths = {
        f"/{name}": {"get": {"operationId": name, **answer({"$ref": f"#/components/schemas/{of}"})}}
        for name, of in (("a", "shop.item"), ("b", "shop.item"), ("c", "ShopItem"), ("d", "ShopItem"))
    }
    data = import_api(openapi(paths, components={"schemas": schemas})).data
    assert sorted(data["types"]) == ["ShopItem", next(name for name in data["types"] if name != "ShopItem")]
    assert data["tools"]["a"]["result"] == data["tools"]["b"]["result"] == {"$ref": "#/types/ShopItem"}
    assert data["tools"]["c"]["result"] != data["tools"]["a"]["result"]


def test_a_result_that_refers_to_all_types_is_cut_to_any_json() -> None:
    """Each of 80 types refers to all others: a tool has only those that its own result names, not the whole API."""
    schemas = {
        f"T{number}": {"type": "object", "properties": {"id": STRING, "next": {"$ref": f"#/components/schemas/T{(number + 1) % 80}"}}}
        for number in range(80)
    }  # fmt: skip
    made = tool(
        answer({"type": "array", "items": {"$ref": "#/components/schemas/T0"}}), components={"schemas": schemas}
    )
    assert made["result"]["$defs"] == {"T0": {"type": "object", "properties": {"id": STRING, "next": {}}}}


A, B = {"type": "string"}, {"type": "integer"}
OPEN = {"type": "object", "properties": {"name": STRING}, "required": ["name"]}
WIDER = {"type": "object", "properties": {"name": STRING, "bark": {"type": "boolean"}}, "required": ["name"]}
ALTERNATIVES: dict[str, tuple[Any, Any, Any]] = {
    "apart": ([A, B], {"anyOf": [A, B]}, None),
    "one contains the other": ([B, {"type": "number"}], {"anyOf": [B, {"type": "number"}]}, "`0` fits two"),
    "open objects": ([OPEN, WIDER], {"anyOf": [OPEN, WIDER]}, '`{"name": ""}` fits two'),
    "a value of both": ([A, {"enum": ["auto", 5]}], {"anyOf": [A, {"enum": ["auto", 5]}]}, '`"auto"` fits two'),
    "which fields are given": ([{"required": ["a"]}, {"required": ["b"]}], {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_alternatives_of_args_that_overlap_take_what_fits_any(name: str) -> None:
    alternatives, expected, reason = ALTERNATIVES[name]
    listed = [parameter("v", schema={"oneOf": alternatives})]
    outcome = import_api(openapi({"/x": {"get": {"operationId": "op", "parameters": listed, **OK}}}))
    assert outcome.tools["op"]["args"]["properties"]["v"] == expected
    assert outcome.codes == ([] if reason is None else ["TG837"])
    assert reason is None or reason in outcome.messages[0]


def test_what_is_excluded_is_not_widened_and_other_alternatives_are_kept() -> None:
    excluded = {"not": {"oneOf": [A, B]}}
    assert written(excluded, "3.1.0") == excluded
    both = {"anyOf": [A, B], "oneOf": [A, {"type": "boolean"}]}
    assert written(both, "3.1.0") == {"anyOf": [A, B], "allOf": [{"anyOf": [A, {"type": "boolean"}]}]}


CLOSED: dict[str, Any] = {
    "type": "object",
    "required": ["a", "b"],
    "properties": {"a": STRING},
    "additionalProperties": False,
}


def test_a_field_that_is_required_and_not_described_is_kept() -> None:
    base: dict[str, Any] = {
        "type": "object",
        "required": ["id", "kind"],
        "properties": {"id": {"type": "string", "readOnly": True}},
    }
    flat = tool(body({**base, "properties": {**base["properties"], "a": STRING}}, required=True), method="post")["args"]
    assert flat["properties"] == {"a": STRING, "kind": True}
    assert flat["required"] == ["kind"]
    extra = tool(body({**CLOSED, "additionalProperties": B}, required=True), method="post")["args"]
    assert extra["properties"] == {"a": STRING, "b": B}
    nested = written(CLOSED, "3.1.0")
    assert nested == {**CLOSED, "properties": {"a": STRING, "b": True}}
    open_object = {"type": "object", "required": ["b"], "properties": {"a": STRING}}
    assert written(open_object, "3.1.0") == open_object


def test_a_body_that_is_optional_is_left_out_or_complete() -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": STRING, "b": STRING, "c": STRING}}
    args = tool({"parameters": [parameter("q", required=True)], **body(schema)}, method="post")["args"]
    assert args["required"] == ["q"]
    assert args["dependentRequired"] == {"a": ["b"], "b": ["a"], "c": ["a", "b"]}
