"""Faults: broken and hostile descriptions are reported with their location, and valid parts are imported."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.compiler.importers.openapi.api import OK, answer, body, import_api, openapi, parameter

SOUND = {"/sound": {"get": {"operationId": "sound", **OK}}}
REF = "#/components/schemas/"

TWO_LINES = body({"type": "object", "properties": {"f": {"type": "string"}}}, "multipart/form-data")
TWO_LINES["requestBody"]["content"]["multipart/form-data"]["encoding"] = {"f": {"contentType": "text/plain\r\nY: 1"}}

FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "a parameter without a schema": ({"/a": {"get": {"parameters": [{"name": "x", "in": "query"}], **OK}}}, "the parameter `x` has no schema"),
    "a parameter without a name": ({"/a": {"get": {"parameters": [{"in": "query", "schema": {}}], **OK}}}, "has no name"),
    "a parameter without a place": ({"/a": {"get": {"parameters": [parameter("x", "nowhere")], **OK}}}, "`x` has no place"),
    "a parameter that is a text": ({"/a": {"get": {"parameters": ["x"], **OK}}}, "a parameter is an object"),
    "a reference that leads nowhere": ({"/a": {"get": {"parameters": [{"$ref": "#/components/parameters/X"}], **OK}}}, "leads nowhere"),
    "a reference that leads to itself": ({"/a": {"post": {**body({"$ref": f"{REF}Loop"}), **OK}}}, "leads to itself"),
    "a file that is not there": ({"/a": {"post": {**body({"$ref": "other.yaml#/X"}), **OK}}}, "`other.yaml` cannot be read"),
    "a path that is not there": ({"/a": {"$ref": "#/components/pathItems/X"}}, "leads nowhere"),
    "a part of the path without a parameter": ({"/a/{id}": {"get": OK}}, "the path has `{id}`"),
    "a type that is none": ({"/a": {"get": {"parameters": [parameter("x", schema={"type": "strin"})], **OK}}}, "strin"),
    "a schema that is a list": ({"/a": {"get": {"parameters": [parameter("x", schema=[])], **OK}}}, "a schema is an object"),
    "a pattern that is none": ({"/a": {"get": {"parameters": [parameter("x", schema={"type": "string", "pattern": "("})], **OK}}}, "pattern"),
    "a header that is two": ({"/a": {"get": {"parameters": [parameter("X\r\nY: 1", "header")], **OK}}}, "not the name of a header"),
    "a path of two lines": ({"/a\r\nY: 1": {"get": OK}}, "a path has no line breaks"),
    "a media type of two lines": ({"/a": {"post": {**TWO_LINES, **OK}}}, "a media type has no line breaks"),
    "an operation that is a text": ({"/a": {"get": "x"}}, "is no object"),
    "paths that clash": ({"/a/{x}": {"get": {"operationId": "first", "parameters": [parameter("x", "path")], **OK}},
                          "/a/{y}": {"get": {"parameters": [parameter("y", "path")], **OK}}}, "is the same request as that of `/a/{x}`"),
}  # fmt: skip


def test_a_number_that_is_none_leaves_out_what_refers_to_it() -> None:
    """It is no `0` in their schemas, also where it is in another file, and what is left out says where it is."""
    here = "#/components/schemas/Size"
    paths = {f"/{name}": {"post": {"operationId": name, **body({"$ref": ref}), **OK}}
             for name, ref in (("a", here), ("b", "other.yaml#/Size"), ("c", "#/components/schemas/Other"))}  # fmt: skip
    paths |= {"/d": {"get": {"operationId": "d", **answer({"$ref": here})}}}
    schemas = {"Size": {"type": "integer", "maximum": "@"}, "Other": {"type": "integer"}}
    text = json.dumps(openapi({**paths, **SOUND}, components={"schemas": schemas})).replace('"@"', "1e400")

    outcome = import_api(text, files={"other.yaml": "Size: {type: integer, minimum: -1e400}"})

    assert list(outcome.tools) == ["c", "d", "sound"]
    assert "result" not in outcome.tools["d"]
    assert sorted(outcome.codes) == ["TG009", "TG831", "TG831", "TG833"]
    assert all("this number is too large" in message for message in outcome.messages)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_operation_is_reported_with_its_location_and_the_others_are_imported(fault: str) -> None:
    paths, reason = FAULTS[fault]
    components = {"schemas": {"Loop": {"$ref": f"{REF}Other"}, "Other": {"$ref": f"{REF}Loop"}}}
    text = json.dumps(openapi({**paths, **SOUND}, components=components), indent=1)

    outcome = import_api(text)

    assert outcome.codes == ["TG831"]
    assert reason in outcome.messages[0]
    assert list(outcome.tools)[-1] == "sound"
    line = int(outcome.places[0].split(":")[1])
    assert any(mark in text.split("\n")[line - 1] for mark in ('"get"', '"post"', "$ref", '"/a"')), text.split("\n")[
        line - 1
    ]


@pytest.mark.parametrize("schema", [{"$ref": f"{REF}Missing"}, {"type": "strin"}, [], {"$ref": "other.json"}])
def test_a_tool_with_a_broken_response_has_an_untyped_result(schema: Any) -> None:
    outcome = import_api(openapi({"/a": {"get": {"operationId": "a", **answer(schema)}}}))
    assert outcome.codes == ["TG833"]
    assert "result" not in outcome.tools["a"]


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

TEXTS = {
    "nothing": "",
    "a number": "1",
    "a list": "[]",
    "a text": "hello",
    "no version": '{"paths": {}}',
    "an old version": '{"swagger": "1.2"}',
    "a version to come": '{"openapi": "4.0.0"}',
    "a version that is true": '{"openapi": true}',
    "no operation": '{"openapi": "3.1.0", "paths": {}}',
    "paths that are a list": '{"openapi": "3.1.0", "paths": []}',
    "cut JSON": '{"openapi": "3.1.0", "paths": {',
    "broken YAML": "openapi: 3.1.0\n  paths: [",
    "a bomb of aliases": f"openapi: 3.1.0\n{BOMB}",
    "an alias of itself": "openapi: 3.1.0\npaths: &a\n  x: *a\n",
    "deep nesting": '{"openapi": "3.1.0", "x": ' + "[" * 5000 + "]" * 5000 + "}",
    "too many values": '{"openapi": "3.1.0", "x": [' + "1," * 1_000_001 + "1]}",
    "a null character": "openapi: 3.1.0\0",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.variants(8)
def test_an_invalid_description_is_an_error(name: str) -> None:
    outcome = import_api(TEXTS[name])
    assert outcome.imported is None
    assert outcome.codes
    assert {code[:2] for code in outcome.codes} == {"TG"}


@pytest.mark.slow
def test_deep_wide_and_recursive_schemas_are_handled_in_bounded_time() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(60):
        deep = {"type": "object", "properties": {"x": deep}}
    schemas: dict[str, Any] = {
        f"N{number}": {"anyOf": [{"$ref": f"{REF}N{number + 1}"}, {"$ref": f"{REF}N{number + 1}"}]}
        for number in range(40)
    }
    schemas["N40"] = {"type": "object", "properties": {name: {"$ref": f"{REF}N40"} for name in "abcdefgh"}}
    schemas["Base"] = {"oneOf": [{"$ref": f"{REF}Child"}]}
    schemas["Child"] = {"allOf": [{"$ref": f"{REF}Base"}, {"type": "object"}]}
    paths = {
        "/deep": {"post": {"operationId": "deep", **body(deep), **OK}},
        "/wide": {
            "post": {
                "operationId": "wide",
                **body({"type": "object", "properties": {f"p{n}": deep for n in range(20)}}),
                **OK,
            }
        },
        "/costly": {"get": {"operationId": "costly", **answer({"$ref": f"{REF}N0"})}},
        "/cycle": {"get": {"operationId": "cycle", **answer({"$ref": f"{REF}Base"})}},
        **SOUND,
    }
    outcome = import_api(openapi(paths, components={"schemas": schemas}))
    assert {"deep", "wide", "costly", "cycle", "sound"} == set(outcome.tools)
    assert set(outcome.codes) == {"TG833"}


KEYS = st.sampled_from([
    *("type", "properties", "$ref", "allOf", "oneOf", "items", "nullable", "required", "enum", "in", "name", "schema"),
    *("content", "parameters", "requestBody", "responses", "get", "post", "application/json", "200", "default"),
    *("operationId", "security", "servers", "url", "discriminator", "tags", "description", "encoding", "style"),
    *("contentType", "headers", "format", "anyOf", "additionalProperties", "multipart/form-data", "image/*", "text/plain"),
    *("contentMediaType", "contentEncoding", "mapping", "propertyName", "formData", "consumes", "mediaTypes", "$id"),
])  # fmt: skip
SCALARS = st.sampled_from([
    *(None, True, False, 0, -1.5, "", "x", "object", "array", "string", "query", "path", "#", "#/", "#/paths", "a.yaml"),
    *("#/components/schemas/A", "{", "form"),
    *("body", "formData", "file", "binary", "byte", "image/png, text/plain", "text/plain; charset=x", "#/definitions/A"),
])  # fmt: skip
ANY = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=25
)


@settings(max_examples=2 * settings().max_examples)
@given(path=ANY, schema=ANY, keys=st.dictionaries(st.sampled_from(["servers", "security", "tags", "components"]), ANY))
@pytest.mark.parametrize("version", ["2.0", "3.0.0", "3.1.0"])
@pytest.mark.variants(1)
def test_no_description_causes_a_traceback(version: str, path: Any, schema: Any, keys: dict[str, Any]) -> None:
    head = {"swagger": version} if version == "2.0" else {"openapi": version}
    operation = {"get": {"operationId": "b", "parameters": [{"name": "q", "in": "query", "schema": schema}], **OK}}
    paths = {"/a": path, "/b": operation, "/c": {"post": path}, **SOUND}
    outcome = import_api({**head, "info": {"title": "x"}, "paths": paths, "definitions": {"A": schema}, **keys})
    assert "sound" in outcome.tools
