"""Operations: each becomes one tool with flat args and a result."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from tests.unit.compiler.importers.openapi.api import OK, answer, args_of, body, import_api, openapi, parameter, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

STRING = {"type": "string"}


def test_an_operation_is_a_tool_with_flat_args() -> None:
    made = tool(
        {
            "summary": "Change an item.",
            "description": "It stays in its place.",
            "parameters": [parameter("id", "path", required=True), parameter("dry", schema={"type": "boolean"})],
            **body(
                {
                    "type": "object",
                    "properties": {"name": STRING, "tags": {"type": "array", "items": STRING}},
                    "required": ["name"],
                },
                required=True,
            ),
            **answer({"type": "object", "properties": {"id": STRING}}),
        },
        method="patch",
        path="/items/{id}",
    )
    assert made["description"] == "Change an item.\n\nIt stays in its place."
    assert made["title"] == "Change an item"
    assert "permission" not in made
    assert made["http"] == {
        "method": "PATCH",
        "path": "/items/{id}",
        "params": {"id": "path", "dry": "query"},
        "body": {"media_type": "application/json", "required": True},
    }
    assert made["args"] == {
        "type": "object",
        "additionalProperties": False,
        "required": ["id", "name"],
        "properties": {
            "id": STRING,
            "dry": {"type": "boolean"},
            "name": STRING,
            "tags": {"type": "array", "items": STRING},
        },
    }
    assert made["result"] == {"type": "object", "properties": {"id": STRING}}


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete", "options", "trace"])
def test_get_and_head_are_readonly_and_everything_else_is_write(method: str) -> None:
    assert tool({}, method=method).get("permission") == ("readonly" if method in ("get", "head") else None)


def test_clashing_names_get_the_parameter_location_as_a_suffix() -> None:
    made = tool(
        {
            "parameters": [
                parameter("id", "header"), parameter("id"), parameter("id", "path", required=True), parameter("body"),
                parameter("id_query", "cookie"),
            ],
            **body({"type": "object", "properties": {"id": {"type": "integer"}}}),
        },
        method="put", path="/x/{id}",
    )  # fmt: skip
    assert made["http"]["params"] == {
        "id": "path",
        "id_query": {"in": "query", "name": "id"},
        "body": "query",
        "id_header": {"in": "header", "name": "id"},
        "id_query_cookie": {"in": "cookie", "name": "id_query"},
    }
    assert made["http"]["body"] == {"media_type": "application/json", "names": {"id_body": "id"}}
    assert made["args"]["properties"]["id_body"] == {"type": "integer"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "integer"}},
        {"type": "string"},
        {"type": "object"},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"anyOf": [{"type": "object", "properties": {"a": STRING}}, {"type": "null"}]},
        {"type": "object", "properties": {"a": STRING}, "minProperties": 1},
    ],
)
def test_a_body_other_than_a_plain_object_is_one_arg(schema: Any) -> None:
    made = tool({"parameters": [parameter("body")], **body(schema, required=True)}, method="post")
    assert made["http"]["body"] == {"media_type": "application/json", "required": True, "arg": "body_body"}
    assert made["args"]["properties"]["body_body"] == schema
    assert made["args"]["required"] == ["body_body"]


def test_a_body_composed_of_objects_is_flat() -> None:
    base = {
        "type": "object",
        "required": ["id"],
        "properties": {"id": STRING, "seen": {"type": "string", "readOnly": True}},
    }
    schema = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"name": STRING}}], "required": ["seen"]}
    args = args_of(body(schema, required=True), method="post", components={"schemas": {"Base": base}})
    assert (list(args["properties"]), args["required"]) == (["id", "name"], ["id"])


def test_additional_fields_are_accepted_if_the_body_allows_them() -> None:
    schema = {"type": "object", "properties": {"a": STRING}}
    assert args_of(body(schema), method="post")["additionalProperties"] is False
    extra = {"type": "integer"}
    assert args_of(body({**schema, "additionalProperties": extra}), method="post")["additionalProperties"] == extra


def test_parameters_of_the_path_are_replaced_by_those_of_the_operation() -> None:
    item = {
        "parameters": [parameter("a"), parameter("b", required=True)],
        "get": {"operationId": "op", "parameters": [parameter("a", schema={"type": "integer"})], **OK},
    }
    args = import_api(openapi({"/x": item})).tools["op"]["args"]
    assert args["properties"] == {"a": {"type": "integer"}, "b": STRING}
    assert args["required"] == ["b"]


def test_serialization_is_written_if_it_is_not_the_default() -> None:
    made = tool({"parameters": [
        parameter("plain", style="form", explode=True),
        parameter("joined", explode=False),
        parameter("piped", style="pipeDelimited"),
        parameter("deep", style="deepObject", explode=True, schema={"type": "object"}),
        parameter("open", allowReserved=True),
        {"name": "json", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
        parameter("X-Ids", "header", explode=True),
    ]})  # fmt: skip
    assert made["http"]["params"] == {
        "plain": "query",
        "joined": {"in": "query", "explode": False},
        "piped": {"in": "query", "style": "pipeDelimited"},
        "deep": {"in": "query", "style": "deepObject"},
        "open": {"in": "query", "allow_reserved": True},
        "json": {"in": "query", "content": "application/json"},
        "X-Ids": {"in": "header", "explode": True},
    }


def test_undescribed_headers_are_not_args() -> None:
    listed = [parameter("Accept", "header"), parameter("content-type", "header"), parameter("Authorization", "header")]
    assert args_of({"parameters": listed})["properties"] == {}


def test_forms_keep_their_encodings_and_files_are_base64() -> None:
    schema = {
        "type": "object",
        "properties": {"meta": {"type": "object"}, "file": {"type": "string", "format": "binary"}},
    }
    media = {
        "schema": schema,
        "encoding": {"meta": {"contentType": "application/json"}, "file": {"contentType": "image/png"}},
    }
    operation = {"requestBody": {"content": {"multipart/form-data": media}}}
    made = tool(operation, method="post", version="3.0.0")
    assert made["http"]["body"] == {
        "media_type": "multipart/form-data",
        "encoding": {
            "meta": {"content_type": "application/json"},
            "file": {"content_type": "image/png", "base64": True, "name_arg": "file_name"},
        },
    }
    assert made["args"]["properties"]["file"] == {"type": "string", "contentEncoding": "base64"}
    assert made["args"]["properties"]["file_name"]["type"] == "string"
    assert made["args"]["dependentRequired"]["file_name"] == ["file"]


def test_json_is_preferred_among_media_types() -> None:
    content = {each: {"schema": {"type": "object", "properties": {"a": STRING}}}
               for each in ("text/plain", "application/xml", "multipart/form-data", "application/json")}  # fmt: skip
    assert (
        tool({"requestBody": {"content": content}}, method="post")["http"]["body"]["media_type"] == "application/json"
    )


def test_descriptions_contain_what_a_model_needs() -> None:
    described = import_api(
        openapi({"/a/{b}": {"get": {"parameters": [parameter("b", "path")], **OK}, "summary": "An item."}})
    )
    assert described.tools["get_a_b"]["description"] == "An item."
    assert tool({"deprecated": True, "summary": "List items"})["description"] == "Deprecated. List items"
    assert tool({})["description"] == "Op: GET /x."
    described_args = args_of({"parameters": [parameter("a", description="The first.", deprecated=True)]})
    assert described_args["properties"]["a"] == {"type": "string", "description": "The first.", "deprecated": True}


def test_operations_without_a_unique_id_are_named_by_method_and_path() -> None:
    outcome = import_api(openapi({
        "/items/{item-id}": {"parameters": [parameter("item-id", "path")], "get": OK},
        "/a": {"get": {"operationId": "same", **OK}},
        "/b": {"get": {"operationId": "same", **OK}, "post": {"operationId": "Make it!", **OK}},
    }))  # fmt: skip
    assert list(outcome.tools) == ["Make_it", "get_a", "get_b", "get_items_item_id"]
    assert outcome.tools["Make_it"]["remote"] == "Make it!"
    assert outcome.codes == ["TG832", "TG832"]


def test_tags_are_declared_with_their_meaning() -> None:
    tags = [{"name": "Items", "description": "What is sold.\nMore."}, {"name": "unused"}]
    paths = {
        "/a": {"get": {"operationId": "a", "tags": ["Items", "Grand total"], **OK}},
        "/b": {"get": {"operationId": "b", "tags": ["agent", "2fa"], **OK}},
    }
    outcome = import_api(openapi(paths, tags=tags))
    assert outcome.data["tags"] == {
        "Items": "What is sold.", "grand-total": "Grand total.", "api-agent": "agent.", "api-2fa": "2fa.",
    }  # fmt: skip
    assert outcome.tools["a"]["tags"] == ["Items", "grand-total"]
    assert outcome.tools["b"]["tags"] == ["api-agent", "api-2fa"]


@pytest.mark.parametrize(
    ("include", "exclude", "left"),
    [
        ([], [], ["a", "b", "c"]),
        (["tag:x"], [], ["a", "b"]),
        (["path:/b*"], [], ["b", "c"]),
        (["operation:a", "operation:c"], [], ["a", "c"]),
        ([], ["tag:x"], ["c"]),
        (["path:/*"], ["operation:?"], []),
    ],
)
def test_operations_are_selected(include: list[str], exclude: list[str], left: list[str]) -> None:
    paths = {
        "/a": {"get": {"operationId": "a", "tags": ["x"], **OK}},
        "/b": {"get": {"operationId": "b", "tags": ["x", "y"], **OK}},
        "/b/c": {"get": {"operationId": "c", **OK}},
    }
    outcome = import_api(openapi(paths), include=include, exclude=exclude)
    assert list(outcome.data.get("tools", {})) == left
    assert outcome.codes == ([] if left else ["TG830"])


PATHS: dict[str, tuple[str, list[dict[str, Any]], str, dict[str, Any]]] = {
    "a fixed query": ("/x?kind=new", [parameter("kind"), parameter("a")], "/x?kind=new", {"a": "query"}),
    "a flag": ("/x/{id}?acl", [parameter("id", "path"), parameter("acl")], "/x/{id}?acl", {"id": "path"}),
    "a fragment": ("/#Action=List", [parameter("Action")], "/#Action=List", {"Action": "query"}),
    "both": ("/x?a=1&b=2#list", [], "/x?a=1&b=2#list", {}),
    "a placeholder": ("/x?by={id}&a=1", [parameter("id", "path")], "/x?a=1#by", {"by": {"in": "query", "explode": False}}),
    "a template": ("/x{?limit,all*}", [parameter("limit"), parameter("all")], "/x", {"limit": "query", "all": "query"}),
}  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
def test_the_query_of_a_path_is_fixed_and_its_fragment_names_the_operation(name: str) -> None:
    path, listed, written, params = PATHS[name]
    made = tool({"parameters": listed}, path=path)
    assert made["http"]["path"] == written
    assert made["http"].get("params", {}) == params
    assert list(made["args"]["properties"]) == list(params)


def test_operations_that_differ_by_query_or_fragment_are_all_imported() -> None:
    paths = ["/x", "/x?a=1", "/x?a=2", "/x#b", "/x?a=1#b"]
    outcome = import_api(
        openapi({path: {"post": {"operationId": f"op{number}", **OK}} for number, path in enumerate(paths)})
    )
    assert outcome.messages == []
    assert [tool["http"]["path"] for tool in outcome.tools.values()] == paths
    again = import_api(openapi({"/x?a=1": {"get": OK}, "/x?a=2": {"get": OK}}), include=["path:/x"])
    assert list(again.tools) == ["get_x_a_1", "get_x_a_2"]


@pytest.mark.parametrize("path", ["/x?a={b}", "/x?a=1{b}", "/x?{b}", "/x{?b}"])
def test_a_query_whose_values_nothing_describes_is_reported(path: str) -> None:
    outcome = import_api(openapi({path: {"get": OK}, "/sound": {"get": {"operationId": "sound", **OK}}}))
    assert outcome.codes == ["TG831"]
    assert "query" in outcome.messages[0]
    assert list(outcome.tools) == ["sound"]


RESULTS: list[tuple[dict[str, Any], Any]] = [
    ({"200": "A"}, {"type": "string"}),
    ({"200": "A", "404": "B"}, {"type": "string"}),
    ({"200": "A", "201": "B"}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ({"200": "A", "2XX": "A"}, {"type": "string"}),
    ({"200": "A", "204": None}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ({"204": None}, {"type": "null"}),
    ({"200": None}, None),
    ({"default": "A"}, {"type": "string"}),
    ({"200": "A", "default": "B"}, {"type": "string"}),
]


@pytest.mark.parametrize(("responses", "result"), RESULTS)
def test_the_result_is_the_schema_of_the_success_response(responses: dict[str, Any], result: Any) -> None:
    schemas = {"A": {"type": "string"}, "B": {"type": "integer"}}
    written = {
        status: {"description": "x", **({"content": {"application/json": {"schema": schemas[name]}}} if name else {})}
        for status, name in responses.items()
    }
    assert tool({"responses": written}).get("result") == result


def test_text_and_bytes_are_results_too() -> None:
    def result(media_type: str) -> Any:
        return tool({"responses": {"200": {"description": "x", "content": {media_type: {"schema": STRING}}}}})["result"]

    assert result("text/csv") == {"type": "string"}
    assert result("application/pdf")["required"] == ["media_type", "size", "artifact"]
    assert tool({}, method="head")["result"] == {"type": "null"}


def test_errors_keep_their_description() -> None:
    responses = {
        "200": {"description": "ok"}, "404": {"description": "There is no such item."}, "403": {"description": "Forbidden"},
        "4XX": {"description": "The call is wrong."}, "default": {"description": "Unexpected error"},
    }  # fmt: skip
    assert tool({"responses": responses})["http"]["errors"] == {
        "404": "There is no such item.",
        "4XX": "The call is wrong.",
    }


def test_a_header_of_idempotency_keys_is_filled_by_the_executor() -> None:
    operation = {"parameters": [parameter("Idempotency-Key", "header")]}
    assert tool(operation, method="post")["http"]["idempotency_header"] == "Idempotency-Key"
    assert "idempotency_header" not in tool(operation)["http"]


SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Shop", "version": "1"},
    "host": "shop.example",
    "basePath": "/v1",
    "schemes": ["http", "https"],
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "securityDefinitions": {"key": {"type": "apiKey", "in": "query", "name": "key"}, "user": {"type": "basic"}},
    "security": [{"key": []}, {"user": []}],
    "definitions": {"Item": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "x": {"type": "string", "x-nullable": True}}}},
    "parameters": {"Limit": {"name": "limit", "in": "query", "type": "integer", "maximum": 10, "exclusiveMaximum": True}},
    "paths": {
        "/items/{id}": {
            "post": {
                "operationId": "save",
                "parameters": [
                    {"name": "id", "in": "path", "type": "string", "required": True},
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                    {"name": "many", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
                    {"name": "tabs", "in": "header", "type": "array", "items": {"type": "string"}, "collectionFormat": "tsv"},
                    {"$ref": "#/parameters/Limit"},
                    {"name": "item", "in": "body", "schema": {"$ref": "#/definitions/Item"}, "required": True},
                ],
                "responses": {"200": {"description": "x", "schema": {"$ref": "#/definitions/Item"}}},
            }
        },
        "/files": {
            "post": {
                "operationId": "upload",
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "file", "in": "formData", "type": "file", "required": True, "description": "The file."},
                    {"name": "tags", "in": "formData", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
                    {"name": "codes", "in": "formData", "type": "array", "items": {"type": "string"}},
                ],
                "responses": {"204": {"description": "x"}},
            }
        },
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("consumes", "has_file", "media_type"),
    [
        ([], False, "application/x-www-form-urlencoded"),
        (["application/x-www-form-urlencoded"], False, "application/x-www-form-urlencoded"),
        (["multipart/form-data"], False, "multipart/form-data"),
        (["multipart/form-data", "application/x-www-form-urlencoded"], False, "application/x-www-form-urlencoded"),
        ([], True, "multipart/form-data"),
        (["application/x-www-form-urlencoded"], True, "multipart/form-data"),
    ],
)
def test_the_media_type_of_a_swagger_form_is_the_simplest_one_that_the_server_accepts(
    consumes: list[str], has_file: bool, media_type: str
) -> None:
    fields = [{"name": "a", "in": "formData", "type": "string"}]
    if has_file:
        fields.append({"name": "file", "in": "formData", "type": "file"})
    save = {
        "operationId": "save",
        "consumes": consumes,
        "parameters": fields,
        "responses": {"204": {"description": "x"}},
    }
    swagger = {"swagger": "2.0", "info": {"title": "T", "version": "1"}, "host": "shop.example", "schemes": ["https"]}
    outcome = import_api({**swagger, "paths": {"/items": {"post": save}}})
    assert outcome.tools["save"]["http"]["body"]["media_type"] == media_type


def test_swagger_is_read_like_openapi() -> None:
    outcome = import_api(SWAGGER)
    assert outcome.messages == []
    save, upload = outcome.tools["save"], outcome.tools["upload"]
    assert outcome.data["api"] == {
        "validate_responses": False,
        "base_url": "https://shop.example/v1",
        "auth": {
            "key": {"type": "api_key", "in": "query", "name": "key", "value": "$env.SHOP_API_KEY_KEY"},
            "user": {
                "type": "basic",
                "username": "$env.SHOP_API_USER_USERNAME",
                "password": "$env.SHOP_API_USER_PASSWORD",
            },
        },
        "security": [["key"], ["user"]],
    }
    assert save["http"] == {
        "method": "POST",
        "path": "/items/{id}",
        "params": {
            "id": "path",
            "tags": {"in": "query", "explode": False},
            "many": "query",
            "limit": "query",
            "tabs": {"in": "header", "style": "tabDelimited"},
        },
        "body": {"media_type": "application/json", "required": True, "names": {"id_body": "id"}},
    }
    assert save["args"]["properties"]["limit"] == {"type": "integer", "exclusiveMaximum": 10}
    assert save["args"]["required"] == ["id", "id_body"]
    assert upload["http"]["body"] == {
        "media_type": "multipart/form-data",
        "required": True,
        "encoding": {"file": {"base64": True, "name_arg": "file_name"}, "codes": {"style": "form", "explode": False}},
    }
    assert upload["args"]["properties"]["file"] == {
        "type": "string",
        "contentEncoding": "base64",
        "description": "The file.",
    }
    assert upload["result"] == {"type": "null"}


@pytest.mark.parametrize(
    ("servers", "url", "base_url", "reported"),
    [
        ([{"url": "https://a.example/v1/"}], "", "https://a.example/v1", []),
        ([{"url": "https://{host}.example/{v}", "variables": {"host": {"default": "a"}, "v": {"default": "v2"}}}], "", "https://a.example/v2", []),
        ([{"url": "/v1"}], "https://a.example/docs/api.json", "https://a.example/v1", []),
        ([{"url": "/v1"}], "", None, ["`/v1` is relative, and a description in a file has no host"]),
        ([], "https://a.example/docs/api.json", "https://a.example", []),
        ([], "", None, []),
        ([{"url": "https://{host}/{v}"}], "", None, ["`https://{host}/{v}` has no default for `host` and `v`"]),
        ([{"url": "ftp://a.example"}], "", None, ["`ftp://a.example` is no URL that requests are sent to"]),
    ],
)  # fmt: skip
def test_servers(servers: list[Any], url: str, base_url: str | None, reported: list[str]) -> None:
    outcome = import_api(openapi({"/a": {"get": OK}}, servers=servers), url=url)
    assert outcome.data.get("api", {}).get("base_url") == base_url
    assert outcome.messages == [f"TG834 the server cannot be used: {why}" for why in reported]


def test_a_server_that_cannot_be_used_is_reported_where_it_is_until_the_spec_has_a_url() -> None:
    described = openapi({"/a": {"get": {"operationId": "a", **OK}}}, servers=[{"url": "https://{region}.example"}])
    outcome = import_api(json.dumps(described, indent=1))
    assert (outcome.codes, outcome.places[0].split(":")[1]) == (["TG834"], "20")
    written = outcome.text.replace("api: {", "api: {base_url: https://eu.example, ")
    again = import_api(described, present=written)
    assert (again.messages, again.data["api"]["base_url"]) == ([], "https://eu.example")


def test_an_operation_whose_own_server_cannot_be_used_is_reported() -> None:
    own = {"operationId": "a", "servers": [{"url": "https://{region}.example"}], **OK}
    outcome = import_api(openapi({"/a": {"get": own}}, servers=[{"url": "https://a.example"}]))
    why = "`https://{region}.example` has no default for `region`"
    assert outcome.messages == [f"TG834 the server of `a` cannot be used: {why}"]
    assert "base_url" not in outcome.tools["a"]["http"]


def test_the_server_of_swagger_without_host_and_path_is_that_of_the_description() -> None:
    described = {"swagger": "2.0", "info": {"title": "Shop"}, "paths": {"/a": {"get": OK}}}
    outcome = import_api(described, url="https://a.example/docs/api.json")
    assert (outcome.messages, outcome.data["api"]["base_url"]) == ([], "https://a.example")


def test_an_operation_has_its_own_server_and_security() -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "K"}, "digest": {"type": "http", "scheme": "digest"}}
    paths = {
        "/a": {"get": {"operationId": "a", **OK}},
        "/b": {
            "servers": [{"url": "https://b.example"}],
            "get": {"operationId": "b", "security": [{}, {"key": []}], **OK},
        },
        "/c": {"get": {"operationId": "c", "security": [], **OK}},
    }
    servers = [{"url": "https://a.example"}]
    outcome = import_api(
        openapi(paths, servers=servers, components={"securitySchemes": schemes}, security=[{"key": []}, {"digest": []}])
    )
    assert outcome.codes == ["TG848", "TG834"]
    assert "calls of `b` go to https://b.example, and not to https://a.example" in outcome.messages[0]
    assert outcome.data["api"]["security"] == [["key"]]
    assert "security" not in outcome.tools["a"]["http"]
    assert outcome.tools["b"]["http"]["base_url"] == "https://b.example"
    assert outcome.tools["b"]["http"]["security"] == [["key"], []]
    assert outcome.tools["c"]["http"]["security"] == []


@pytest.mark.parametrize(
    ("scheme", "auth"),
    [
        ({"type": "http", "scheme": "Bearer"}, {"type": "bearer", "token": "$env.SHOP_API_S_TOKEN"}),
        ({"type": "openIdConnect", "openIdConnectUrl": "https://a.example"}, {"type": "bearer", "token": "$env.SHOP_API_S_TOKEN"}),
        (
            {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://a.example/t", "scopes": {}}}},
            {"type": "oauth2", "token_url": "https://a.example/t", "client_id": "$env.SHOP_API_S_CLIENT_ID", "client_secret": "$env.SHOP_API_S_CLIENT_SECRET"},
        ),
        ({"type": "oauth2", "flows": {"implicit": {}}}, {"type": "bearer", "token": "$env.SHOP_API_S_TOKEN"}),
    ],
)  # fmt: skip
def test_security_schemes(scheme: Any, auth: Any) -> None:
    components = {"securitySchemes": {"s": scheme}}
    outcome = import_api(openapi({"/a": {"get": OK}}, components=components, security=[{"s": []}]))
    assert outcome.data["api"] == {"auth": {"s": auth}, "security": [["s"]], "validate_responses": False}


def test_references_lead_across_files() -> None:
    files = {
        "items.yaml": "get:\n  operationId: get\n  responses:\n    200:\n      description: x\n      content:\n"
        "        application/json:\n          schema: {$ref: 'types.json#/Item'}\n",
        "types.json": '{"Item": {"type": "object", "properties": {"next": {"$ref": "#/Item"}, "id": {"type": "string"}}}}',
    }
    outcome = import_api(openapi({"/items": {"$ref": "items.yaml"}}), files=files)
    assert outcome.messages == []
    result = outcome.tools["get"]["result"]
    assert result["$ref"] == "#/$defs/Item"
    assert result["$defs"]["Item"]["properties"]["next"] == {"$ref": "#/$defs/Item"}


def test_openapi_3_2_has_other_methods_and_whole_query_strings() -> None:
    whole = {
        "name": "q",
        "in": "querystring",
        "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}},
    }
    item = {
        "query": {"operationId": "ask", "parameters": [whole], **OK},
        "additionalOperations": {
            "COPY": {"operationId": "copy", "parameters": [parameter("c", "cookie", style="cookie")], **OK}
        },
    }
    outcome = import_api(openapi({"/x": item}, "3.2.0"))
    assert outcome.messages == []
    ask, copy = outcome.tools["ask"]["http"], outcome.tools["copy"]["http"]
    form = {"in": "querystring", "content": "application/x-www-form-urlencoded"}
    assert (ask["method"], ask["params"]) == ("QUERY", {"q": form})
    assert (copy["method"], copy["params"]) == ("COPY", {"c": {"in": "cookie", "style": "cookie"}})


@pytest.mark.parametrize("placeholder", ["{rest+}", "{rest*}", "{+rest}", "{rest:path}"])
def test_a_wildcard_of_a_path_is_one_segment_until_a_person_allows_more(placeholder: str) -> None:
    operation = {"get": {"operationId": "get", "parameters": [parameter("rest", "path")], **OK}}
    outcome = import_api(openapi({f"/files/{placeholder}": operation}))
    assert outcome.codes == ["TG835"]
    assert outcome.tools["get"]["http"] == {"method": "GET", "path": "/files/{rest}", "params": {"rest": "path"}}


def test_no_description_allows_separators_in_a_path() -> None:
    rest = {**parameter("rest", "path"), "allowReserved": True, "x-separators": "keep_slash", "separators": "encode"}
    outcome = import_api(openapi({"/files/{rest}": {"get": {"operationId": "get", "parameters": [rest], **OK}}}))
    assert "separators" not in str(outcome.tools["get"]["http"])


def test_a_path_of_dots_is_left_out() -> None:
    operation = {"get": {"operationId": "get", "parameters": [parameter("id", "path")], **OK}}
    outcome = import_api(openapi({"/a/../{id}": operation, "/b": {"get": {"operationId": "b", **OK}}}))
    assert (outcome.codes, [*outcome.tools]) == (["TG831"], ["b"])


def test_ids_and_summaries_that_fastapi_made_are_those_of_the_function() -> None:
    def made(name: str, path: str, method: str, **more: Any) -> dict[str, Any]:
        made_id = f"{name}{re.sub(r'[^a-zA-Z0-9_]', '_', path)}_{method}"
        return {method: {"operationId": made_id, "summary": name.replace("_", " ").title(), **more, **OK}}

    outcome = import_api(openapi({
        "/items/{id}": made("get_item", "/items/{id}", "get", description="Return one item.",
                            parameters=[parameter("id", "path", required=True)]),
        "/items": made("list_items", "/items", "get"),
        "/a/ping": made("ping", "/a/ping", "get", description="Ping a."),
        "/b/ping": made("ping", "/b/ping", "get", description="Ping b."),
    }))  # fmt: skip
    assert sorted(outcome.tools) == ["get_item", "list_items", "ping_a_ping_get", "ping_b_ping_get"]
    assert outcome.tools["get_item"]["description"] == "Return one item."
    assert "title" not in outcome.tools["get_item"]
    assert outcome.tools["list_items"]["description"] == "List Items"


@pytest.mark.slow
def test_an_import_of_more_operations_than_are_read_says_how_to_select_some() -> None:
    answers = {"200": {"description": "OK"}}
    paths = {
        f"/a{number}": {"get": {"tags": ["few"] if number < 2 else [], "responses": answers}} for number in range(5_001)
    }
    made = import_api(openapi(paths=paths))
    (problem,) = made.messages
    assert "5,001 of its 5,001 operations are selected, and an import takes at most 5,000" in problem
    assert len(import_api(openapi(paths=paths), include=["tag:few"]).data["tools"]) == 2


FIELDS = {
    "text": ({"type": "string"}, None),
    "file": ({"type": "string", "format": "binary"}, None),
    "picture": ({"type": "string", "format": "binary"}, {"contentType": "image/png, image/jpeg"}),
    "files": ({"type": "array", "items": {"type": "string", "format": "binary"}}, None),
}


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
@pytest.mark.parametrize("body_is_required", [True, False])
@pytest.mark.parametrize("required", [(), ("file",), ("picture",), ("file", "picture"), ("text", "files"), [*FIELDS]])
def test_a_form_with_files_is_a_tool_whichever_parts_are_required(
    version: str, body_is_required: bool, required: Sequence[str]
) -> None:
    media = {
        "schema": {
            "type": "object",
            "required": [*required],
            "properties": {name: schema for name, (schema, _) in FIELDS.items()},
        },
        "encoding": {name: said for name, (_, said) in FIELDS.items() if said},
    }
    body = {"content": {"multipart/form-data": media}, "required": body_is_required}
    outcome = import_api(openapi({"/a": {"post": {"operationId": "a", "requestBody": body, **OK}}}, version=version))
    assert outcome.codes == []
    args = Draft202012Validator(outcome.tools["a"]["args"])
    values = {"text": "x", "file": "eA==", "picture": "eA==", "picture_content_type": "image/png", "files": ["eA=="]}
    needed = {*required, *(["picture_content_type"] if "picture" in required else [])}
    assert args.is_valid(values)
    assert args.is_valid({name: value for name, value in values.items() if name in needed})
    assert args.is_valid({}) is not (body_is_required and bool(required))
    for name in needed:
        assert not args.is_valid({key: value for key, value in values.items() if key != name}), name
        assert not args.is_valid({key: value for key, value in {**values, "file_name": "x"}.items() if key != name})


@pytest.mark.parametrize(
    ("scheme", "listed", "dropped"),
    [
        ({"type": "apiKey", "in": "header", "name": "X-API-Key"}, ("x-api-key", "header"), True),
        ({"type": "apiKey", "in": "query", "name": "key"}, ("KEY", "query"), True),
        ({"type": "apiKey", "in": "query", "name": "key"}, ("key", "header"), False),
        ({"type": "apiKey", "in": "cookie", "name": "session"}, ("session", "cookie"), True),
        ({"type": "apiKey", "in": "cookie", "name": "session"}, ("cookie", "header"), True),
    ],
)
@pytest.mark.parametrize("security", [[{"key": []}], None, []])
def test_a_parameter_with_the_name_of_a_credential_is_no_arg(
    scheme: dict[str, Any], listed: tuple[str, str], dropped: bool, security: Any
) -> None:
    parameters = [parameter("q"), parameter(*listed, required=True)]
    own = {} if security is None else {"security": security}
    operation = {"operationId": "op", **OK, **own, "parameters": parameters}
    description = openapi(
        {"/x": {"get": operation}}, components={"securitySchemes": {"key": scheme}}, security=[{"key": []}]
    )
    outcome = import_api(description)
    is_dropped = dropped and security != []
    assert ([*outcome.tools["op"]["args"]["properties"]] == ["q"]) is is_dropped
    assert outcome.codes == (["TG839"] if is_dropped else [])
