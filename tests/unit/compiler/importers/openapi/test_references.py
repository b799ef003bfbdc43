"""References: a description cut into files gives the same tools, and one that cannot be followed gives none."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import copy
import json
from itertools import cycle
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.later import later
from tests.project.checkout import ROOT as CHECKOUT
from tests.unit.compiler.importers.openapi.api import OK, answer, body, import_api, openapi, parameter
from tests.unit.compiler.importers.openapi.referring import ROOT, UNREAD, Cut, at, import_files, meaning, places

STRING = {"type": "string"}
REF = "#/components/schemas/"
SCHEMAS: dict[str, Any] = {
    "Item": {
        "type": "object",
        "required": ["name", "id"],
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            "name": STRING,
            "size": {"enum": ["s", "m"]},
            "parent": {"$ref": f"{REF}Item"},
            "pets": {"type": "array", "items": {"$ref": f"{REF}Pet"}},
        },
    },
    "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": STRING, "name": STRING}},
    "Dog": {"type": "object", "required": ["kind"], "properties": {"kind": STRING, "bark": {"type": "boolean"}}},
    "Pet": {
        "oneOf": [{"$ref": f"{REF}Cat"}, {"$ref": f"{REF}Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"tom": f"{REF}Cat"}},
    },
    "Named": {"type": "object", "properties": {"label": {"$ref": f"{REF}Item/properties/name"}}},
}
PATHS: dict[str, Any] = {
    "/items": {
        "summary": "Items.",
        "parameters": [parameter("trace", "header", description="The trace.")],
        "get": {
            "operationId": "list",
            "description": "List items.",
            "tags": ["items"],
            "parameters": [
                parameter("limit", schema={"type": "integer", "maximum": 5}),
                {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"$ref": f"{REF}Named"}}}},
            ],
            "responses": {
                "200": {
                    "description": "Items.",
                    "headers": {"X-Rate": {"schema": {"type": "integer"}}},
                    "links": {"next": {"operationId": "list"}},
                    "content": {"application/json": {"schema": {"type": "array", "items": {"$ref": f"{REF}Item"}}, "examples": {"a": {"value": []}}}},
                },
                "404": {"description": "There are no items."},
            },
        },
        "post": {
            "operationId": "add",
            "security": [{"user": []}],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": {"allOf": [{"$ref": f"{REF}Item"}, {"type": "object", "properties": {"note": STRING}}]}}},
            },
            "responses": {"201": {"description": "It is there.", "content": {"application/json": {"schema": {"$ref": f"{REF}Pet"}}}}},
        },
    },
    "/items/{id}": {
        "parameters": [parameter("id", "path", required=True)],
        "delete": {"operationId": "drop", "responses": {"204": {"description": "Gone."}}},
        "put": {
            "operationId": "upload",
            "requestBody": {
                "content": {
                    "multipart/form-data": {
                        "schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}, "meta": {"type": "object"}}},
                        "encoding": {"file": {"contentType": "image/png", "headers": {"X-A": {"schema": STRING}}}},
                    }
                }
            },
            **OK,
        },
    },
}  # fmt: skip
SCHEMES = {"key": {"type": "apiKey", "in": "header", "name": "K"}, "user": {"type": "http", "scheme": "basic"}}


def described(version: str) -> dict[str, Any]:
    """Return a description with every kind of part that a reference may stand for."""
    components = {"schemas": SCHEMAS, "securitySchemes": SCHEMES}
    document = openapi(
        PATHS, version, components=components, security=[{"key": []}], tags=[{"name": "items", "description": "What is sold."}]
    )  # fmt: skip
    return {**document, "info": {"title": "Shop", "version": "1", "description": "Sells items."}}


def old_described() -> dict[str, Any]:
    """Return a description in Swagger 2.0."""
    schemas = json.loads(
        json.dumps({key: SCHEMAS[key] for key in ("Item", "Cat", "Named", "Pet")}).replace(REF, "#/definitions/")
    )
    schemas["Pet"] = {"$ref": "#/definitions/Cat"}
    number = {"name": "limit", "in": "query", "type": "integer"}
    save = {
        "operationId": "save",
        "parameters": [
            number,
            {"name": "item", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Item"}},
        ],
        "responses": {"200": {"description": "It is saved.", "schema": {"$ref": "#/definitions/Item"}}},
    }
    upload = {
        "operationId": "upload",
        "consumes": ["multipart/form-data"],
        "parameters": [{"name": "file", "in": "formData", "type": "file", "required": True}],
        "responses": {"200": {"description": "It is saved.", "schema": {"$ref": "#/definitions/Named"}}},
    }
    paths = {
        "/items/{id}": {
            "parameters": [{"name": "id", "in": "path", "type": "string", "required": True}],
            "post": save,
            "put": upload,
        }
    }
    head = {"swagger": "2.0", "info": {"title": "Shop", "version": "1", "description": "Sells."}, "host": "a.example"}
    return {
        **head,
        "paths": paths,
        "definitions": schemas,
        "securityDefinitions": {"key": SCHEMES["key"]},
        "security": [{"key": []}],
    }


DOCUMENTS = {
    "2.0": old_described(), "3.0": described("3.0.4"), "3.1": described("3.1.1"), "3.2": described("3.2.0"),
}  # fmt: skip


@settings(max_examples=settings().max_examples // 5)
@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("version", ["2.0", "3.1", *later(["3.0", "3.2"])])
def test_a_description_that_is_cut_into_files_gives_the_same_tools(version: str, seed: int) -> None:
    document = DOCUMENTS[version]
    random = Random(seed)
    cut = Cut.of(document, random)
    share = random.choice([0.1, 0.3, 1.0])
    for path, kind in list(places(document)):
        if random.random() < share:
            cut.cut(path, kind)

    outcome = import_files(cut.texts())

    whole = import_api(document)
    assert outcome.messages == whole.messages
    assert meaning(outcome.data) == meaning(whole.data)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["notion", "twilio_verify"])
@pytest.mark.variants(1)
def test_a_published_description_that_is_cut_into_files_gives_the_same_tools(name: str) -> None:
    data = CHECKOUT.parent / "shared" / "data" / f"{name}.openapi.json"
    if not data.is_file():
        pytest.skip("shared/data is not beside the checkout")
    document = json.loads(data.read_text(encoding="utf-8"))
    random = Random(name)
    cut = Cut.of(document, random)
    for path, kind in list(places(document)):
        # A schema that was written at its place becomes a definition, and a tool has a limited number of these.
        if random.random() < 0.5 and (kind != "schema" or path[-2] == "schemas"):
            cut.cut(path, kind)

    outcome = import_files(cut.texts())

    whole = import_api(document)
    assert outcome.messages == whole.messages
    assert meaning(outcome.data) == meaning(whole.data)


BROKEN = {
    "a file that is missing": "missing.yaml",
    "a place that is missing": "#/components/nowhere",
    "itself": "#/x-loop",
    "an anchor that is missing": "#nowhere",
    "a text": "#/info/title",
}


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.1", *later(["3.0", "3.2"])])
@pytest.mark.variants(1)
def test_no_operation_is_imported_of_which_a_reference_cannot_be_followed(version: str) -> None:
    """Each part of a description in turn is a broken reference: a tool is as it was, or left out and reported."""
    document = {**DOCUMENTS[version], "x-loop": {"$ref": "#/x-loop"}}
    before = meaning(import_api(document).data)["tools"]
    for tool in before.values():
        tool["http"].pop("security", None)
    faults = cycle(BROKEN)
    for path, kind in places(document):
        broken = copy.deepcopy(document)
        fault = next(faults) if kind != "text" else "a file that is missing"
        at(broken, path[:-1])[path[-1]] = {"$ref": BROKEN[fault]}
        outcome = import_files({ROOT: json.dumps(broken)})
        after = meaning(outcome.data)["tools"] if outcome.imported else {}
        for name, tool in after.items():
            tool["http"].pop("security", None)
            if any(message.startswith("TG833") and f"`{name}`" in message for message in outcome.messages):
                tool["result"] = before[name]["result"]
            assert tool == before[name], (path, fault, outcome.messages)
        if after.keys() != before.keys() or UNREAD.isdisjoint(path):
            reason = {"itself": "leads to itself", "a text": "TG83"}.get(fault, f"`{BROKEN[fault]}`")
            assert any(reason in message for message in outcome.messages), (path, fault, outcome.messages)


def test_texts_and_schemes_that_cannot_be_followed_are_reported() -> None:
    missing = {"$ref": "missing.md"}
    document = described("3.2.0")
    document["info"]["description"] = missing
    document["tags"] = missing
    document["components"] = {**document["components"], "securitySchemes": {"key": missing, "user": SCHEMES["user"]}}
    outcome = import_api(document)
    assert sorted(outcome.codes) == ["TG834", "TG836", "TG836"]
    reason = "TG834 the security scheme `key` cannot be read (`missing.md` cannot be read"
    assert any(message.startswith(reason) for message in outcome.messages)
    assert list(outcome.data["api"]["auth"]) == ["user"]


def test_security_may_name_a_scheme_by_its_uri_and_one_that_is_not_declared_is_reported() -> None:
    paths = {
        "/a": {"get": {"operationId": "a", "security": [{"#/components/securitySchemes/user": []}], **OK}},
        "/b": {"get": {"operationId": "b", "security": [{"nobody": []}], **OK}},
    }
    outcome = import_api(openapi(paths, "3.2.0", components={"securitySchemes": SCHEMES}, security=[{"key": []}]))
    assert outcome.tools["a"]["http"]["security"] == [["user"]]
    assert outcome.messages == [
        "TG834 the security scheme `nobody` is not declared: the host adds its credentials",
    ]


@pytest.mark.parametrize(
    ("reference", "schemas"),
    [
        ("#named", {"A": {"$anchor": "named", **STRING}}),
        ("https://shop.example/a", {"A": {"$id": "https://shop.example/a", **STRING}}),
        ("https://shop.example/b#/$defs/x", {"B": {"$id": "https://shop.example/b", "$defs": {"x": STRING}}}),
        ("https://shop.example/api#/components/schemas/A", {"A": STRING}),
        (
            "#/components/schemas/C",
            {"C": {"$id": "https://shop.example/c", "$ref": "#/$defs/x", "$defs": {"x": STRING}}},
        ),
    ],
)
def test_names_of_schemas_and_documents_are_references(reference: str, schemas: dict[str, Any]) -> None:
    operation = {"operationId": "op", "parameters": [parameter("a", schema={"$ref": reference})], **OK}
    document = openapi({"/a": {"get": operation}}, "3.2.0", components={"schemas": schemas})
    outcome = import_api({**document, "$self": "https://shop.example/api"})
    assert outcome.messages == []
    assert meaning(outcome.data)["tools"]["op"]["args"]["properties"]["a"] == STRING


def test_what_stands_beside_references_on_the_way_is_kept() -> None:
    schemas = {
        "A": {"$ref": f"{REF}B", "maxLength": 3},
        "B": {"$ref": f"{REF}C", "minLength": 2},
        "C": STRING,
        "Sent": {"$ref": f"{REF}Base", "required": ["a"], "properties": {"b": STRING}},
        "Base": {"type": "object", "properties": {"a": {"$ref": f"{REF}A"}}},
    }
    operation = {"operationId": "op", **body({"$ref": f"{REF}Sent"}, required=True), **answer({"$ref": f"{REF}A"})}
    tool = meaning(import_api(openapi({"/a": {"post": operation}}, components={"schemas": schemas})).data)["tools"][
        "op"
    ]
    bounded = {"type": "string", "minLength": 2, "maxLength": 3}
    assert tool["args"]["properties"] == {"a": bounded, "b": STRING}
    assert tool["args"]["required"] == ["a"]
    assert tool["result"] == bounded


@pytest.mark.parametrize("pointer", ["#/x/r/a", "#/x/s"])
def test_a_reference_that_leads_through_itself_ends_at_a_limit(pointer: str) -> None:
    parts = {"r": {"$ref": "#/x/r/a"}, "s": {"$ref": "#/x/t"}, "t": {"$ref": "#/x/s"}}
    operation = {"operationId": "op", "parameters": [{"$ref": pointer}], **OK}
    outcome = import_api({**openapi({"/a": {"get": operation}, "/b": {"get": {"operationId": "b", **OK}}}), "x": parts})
    assert list(outcome.tools) == ["b"]
    (message,) = outcome.messages
    assert "leads to itself" in message


@pytest.mark.parametrize(
    "item",
    [
        {"delete": {"$ref": "#/x/item"}},
        {"delete": {"$ref": "#/info"}},
        {"$ref": "#/x"},
        {"$ref": "#/info"},
    ],
)
def test_what_is_no_operation_is_not_imported_as_one(item: dict[str, Any]) -> None:
    parts = {"item": {"delete": {"operationId": "drop", **OK}}}
    outcome = import_api({**openapi({"/a": item, "/b": {"get": {"operationId": "b", **OK}}}), "x": parts})
    assert list(outcome.tools) == ["b"]
    (message,) = outcome.messages
    assert message.startswith("TG831")
    assert "leads to what is no" in message


def test_beside_a_reference_to_a_parameter_only_texts_count() -> None:
    components = {"parameters": {"P": parameter("a", description="Old.")}}
    listed = [{"$ref": "#/components/parameters/P", "description": "New.", "required": True, "name": "b"}]
    outcome = import_api(
        openapi({"/a": {"get": {"operationId": "op", "parameters": listed, **OK}}}, components=components)
    )
    args = outcome.tools["op"]["args"]
    assert args["properties"] == {"a": {"type": "string", "description": "New."}}
    assert "required" not in args


def test_a_body_of_all_methods_of_a_path_is_a_body_of_each() -> None:
    document = old_described()
    item = document["paths"]["/items/{id}"]
    item["parameters"].append(item["post"]["parameters"].pop())
    assert (
        meaning(import_api(document).data)["tools"]["save"]
        == meaning(import_api(DOCUMENTS["2.0"]).data)["tools"]["save"]
    )
