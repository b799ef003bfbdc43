"""Media types: what a real server receives for each kind of body, exactly, or a refusal at import."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from tests.unit.execute.http.api import error_of, import_text, invoke, package_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

STRING = {"type": "string"}
BINARY = {"type": "string", "format": "binary"}
OBJECT = {"type": "object", "properties": {"a": STRING}}
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
PNG = base64.b64encode(b"\x89PNG\x00").decode()


def form(properties: dict[str, Any], media_type: str = MULTIPART, **encoding: Any) -> dict[str, Any]:
    return {media_type: {"schema": {"type": "object", "properties": properties}, "encoding": encoding}}


def types(schema: Any, *names: str) -> dict[str, Any]:
    return {name: {"schema": schema} for name in names}


EXACT: dict[str, tuple[dict[str, Any], dict[str, Any], str, bytes]] = {
    "any_bytes": (types(BINARY, "*/*"), {"body": PNG}, "application/octet-stream", b"\x89PNG\x00"),
    "any_untyped": (types({}, "*/*"), {"body": PNG}, "application/octet-stream", b"\x89PNG\x00"),
    "any_object": (types(OBJECT, "*/*"), {"a": "x"}, "application/json", b'{"a":"x"}'),
    "any_text": (types(STRING, "*/*"), {"body": "é"}, "text/plain", "é".encode()),
    "one_type": (types(BINARY, "image/png"), {"body": PNG}, "image/png", b"\x89PNG\x00"),
    "several_bytes": (types(BINARY, "image/png", "image/jpeg"), {"body": PNG, "content_type": "image/jpeg"}, "image/jpeg", b"\x89PNG\x00"),
    "a_range": (types(BINARY, "image/*"), {"body": PNG, "content_type": "image/webp"}, "image/webp", b"\x89PNG\x00"),
    "several_texts": (types(STRING, "text/plain", "application/xml"), {"body": "<a/>", "content_type": "application/xml"}, "application/xml", b"<a/>"),
    "an_integer": (types({"type": "integer"}, "text/plain"), {"body": 5}, "text/plain", b"5"),
    "a_boolean": (types({"type": "boolean"}, "text/plain"), {"body": True}, "text/plain", b"true"),
    "untyped_text": (types({}, "text/plain"), {"body": "hello"}, "text/plain", b"hello"),
    "xml_of_an_object": (types(OBJECT, "application/xml"), {"body": "<a/>"}, "application/xml", b"<a/>"),
    "a_charset": (types(STRING, "text/plain; charset=iso-8859-1"), {"body": "é"}, "text/plain; charset=iso-8859-1", b"\xe9"),
    "encoded_already": (types({"type": "string", "contentEncoding": "base64"}, "image/png"), {"body": PNG}, "image/png", PNG.encode()),
    "a_vendor_type": (types(OBJECT, "application/vnd.shop.v2+json"), {"a": "x"}, "application/vnd.shop.v2+json", b'{"a":"x"}'),
    "json_first": ({**types(OBJECT, "application/xml"), **types(OBJECT, "application/json")}, {"a": "x"}, "application/json", b'{"a":"x"}'),
    "what_is_certain": ({**types(OBJECT, "application/x-protobuf"), **types(OBJECT, FORM)}, {"a": "x y"}, FORM, b"a=x+y"),
    "bytes_in_a_form": (form({"f": BINARY}, FORM), {"f": PNG}, FORM, b"f=%89PNG%00"),
}  # fmt: skip


PARTS: dict[str, tuple[dict[str, Any], dict[str, Any], bytes]] = {
    "file": (form({"f": BINARY}), {"f": PNG}, b"application/octet-stream\r\n\r\n\x89PNG\x00"),
    "declared": (form({"f": STRING}, f={"contentType": "image/png"}), {"f": PNG}, b"image/png\r\n\r\n\x89PNG\x00"),
    "untyped": (form({"f": {}}), {"f": PNG}, b"application/octet-stream\r\n\r\n\x89PNG\x00"),
    "own_type": (form({"f": {"type": "string", "contentMediaType": "image/gif"}}), {"f": PNG}, b"image/gif\r\n\r\n\x89PNG\x00"),
    "optional": (form({"f": {"anyOf": [BINARY, {"type": "null"}]}}), {"f": PNG}, b"application/octet-stream\r\n\r\n\x89PNG\x00"),
    "nullable": (form({"f": {"type": ["string", "null"], "format": "binary"}}), {"f": PNG}, b"application/octet-stream\r\n\r\n\x89PNG\x00"),
    "files": (form({"f": {"type": "array", "items": BINARY}}, f={"contentType": "image/png"}), {"f": [PNG]}, b"image/png\r\n\r\n\x89PNG\x00"),
    "chosen": (form({"f": BINARY}, f={"contentType": "image/png, image/jpeg"}), {"f": PNG, "f_content_type": "image/jpeg"}, b"image/jpeg\r\n\r\n\x89PNG\x00"),
    "range": (form({"f": BINARY}, f={"contentType": "image/*"}), {"f": PNG, "f_content_type": "image/webp"}, b"image/webp\r\n\r\n\x89PNG\x00"),
    "json": (form({"f": OBJECT}, f={"contentType": "text/plain, application/json"}), {"f": {"a": "x"}}, b'application/json\r\n\r\n{"a":"x"}'),
    "text": (form({"f": STRING}, f={"contentType": "text/csv"}), {"f": "a,b"}, b"text/csv\r\n\r\na,b"),
    "number": (form({"f": {"type": "integer"}}, f={"contentType": "text/*"}), {"f": 5}, b"text/plain\r\n\r\n5"),
    "encoded": (form({"f": {"type": "string", "contentEncoding": "base64"}}), {"f": PNG}, b'name="f"\r\n\r\n' + PNG.encode()),
}  # fmt: skip


REFUSED: dict[str, dict[str, Any]] = {
    "an object as protobuf": types(OBJECT, "application/x-protobuf"),
    "a number as an image": types({"type": "integer"}, "image/png"),
    "bytes as JSON": types(BINARY, "application/json"),
    "another multipart": types(OBJECT, "multipart/mixed"),
    "an unknown charset": types(STRING, "text/plain; charset=klingon"),
    "a slow charset": types(STRING, "text/plain; charset=punycode"),
    "a part of XML": form({"f": OBJECT}, f={"contentType": "application/xml"}),
    "a part that is an image of a number": form({"f": {"type": "integer"}}, f={"contentType": "image/png"}),
    "a form of XML": form({"f": OBJECT}, FORM, f={"contentType": "application/xml"}),
    "a header of a part": form({"f": BINARY}, f={"headers": {"X-Key": {"required": True, "schema": STRING}}}),
    "files in a choice": {MULTIPART: {"schema": {"anyOf": [{"type": "object", "properties": {"f": BINARY}}, OBJECT]}}},
}  # fmt: skip


def described(contents: dict[str, dict[str, Any]], *, required: bool = True) -> str:
    paths = {
        f"/{name}": {
            "post": {
                "operationId": name,
                "requestBody": {"required": required, "content": content},
                "responses": {"200": {"description": "ok"}},
            }
        }
        for name, content in contents.items()
    }
    return json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    contents = {name: row[0] for name, row in EXACT.items()} | {f"part_{name}": row[0] for name, row in PARTS.items()}
    text, messages = import_text(described(contents))
    assert messages == []
    assert text is not None
    return package_of(tmp_path_factory.mktemp("media"), "compiled_media", text)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.variants(6)
def test_a_server_receives_exactly_the_bytes_of_the_media_type(catalog: Catalog, server: Server, name: str) -> None:
    _, args, media_type, data = EXACT[name]
    assert invoke(catalog, name, args, base_url=server.url).error is None
    assert (server.last.header("content-type"), server.last.body) == (media_type, data)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_sent_in_its_own_media_type(catalog: Catalog, server: Server, name: str) -> None:
    _, args, data = PARTS[name]
    assert invoke(catalog, f"part_{name}", args, base_url=server.url).error is None
    boundary = re.fullmatch(r"multipart/form-data; boundary=(\w+)", server.last.header("content-type") or "")
    assert boundary is not None
    parts = server.last.body.split(f"--{boundary[1]}".encode())
    assert len(parts) == 3
    assert parts[1].endswith(data + b"\r\n")


@pytest.mark.parametrize("name", REFUSED)
def test_a_body_without_certain_bytes_is_refused_at_import(name: str) -> None:
    text, messages = import_text(described({"op": REFUSED[name], "sound": types(OBJECT, "application/json")}))
    assert text is not None
    assert "sound:" in text
    assert "op:" not in text
    (message,) = messages
    assert message.startswith("TG831 `POST /op` (`op`) is left out: ")


def test_no_media_type_is_sent_that_the_description_does_not_have(catalog: Catalog, server: Server) -> None:
    for name, chosen in (("several_bytes", "image/gif"), ("a_range", "text/html"), ("a_range", "image/*")):
        error = error_of(invoke(catalog, name, {"body": PNG, "content_type": chosen}, base_url=server.url))
        assert error.kind == "invalid_call"
    error = error_of(invoke(catalog, "a_range", {"body": PNG}, base_url=server.url))
    assert error.kind == "invalid_call"
    error = error_of(invoke(catalog, "a_charset", {"body": "日本"}, base_url=server.url))
    assert error.code == "invalid_text"
    assert server.requests == []


def test_an_optional_body_is_sent_whole_or_not_at_all(tmp_path: Path, server: Server) -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": STRING, "b": STRING, "c": STRING}}
    contents = {
        "fields": types(schema, "application/json"),
        "image": types(BINARY, "image/png", "image/jpeg"),
        "part": form({"f": BINARY}, f={"contentType": "image/png, image/jpeg"}),
    }
    text, messages = import_text(described(contents, required=False))
    assert messages == []
    assert text is not None
    catalog = package_of(tmp_path, "compiled_optional", text)
    for args in ({"a": "x"}, {"c": "x"}, {"b": "x", "c": "y"}):
        assert error_of(invoke(catalog, "fields", args, base_url=server.url)).kind == "invalid_call"
    for args in ({"body": PNG}, {"content_type": "image/png"}):
        assert error_of(invoke(catalog, "image", args, base_url=server.url)).kind == "invalid_call"
    for args in ({"f": PNG}, {"f_content_type": "image/png"}):
        assert error_of(invoke(catalog, "part", args, base_url=server.url)).kind == "invalid_call"
    assert server.requests == []
    for name in ("fields", "image", "part"):
        assert invoke(catalog, name, {}, base_url=server.url).error is None
        assert (server.last.header("content-type"), server.last.body) == (None, b"")
    assert invoke(catalog, "fields", {"a": "x", "b": "y"}, base_url=server.url).error is None
    assert server.last.body == b'{"a":"x","b":"y"}'


def test_of_several_media_types_of_a_response_the_result_is_the_one_that_came(tmp_path: Path, server: Server) -> None:
    content = {**types(OBJECT, "application/json"), **types(STRING, "text/csv"), **types(BINARY, "application/pdf")}
    same = types(OBJECT, "application/json", "text/json", "application/xml")
    paths = {
        f"/{name}": {"get": {"operationId": name, "responses": {"200": {"description": "ok", "content": each}}}}
        for name, each in (("several", content), ("same", same))
    }
    text, messages = import_text(
        json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})
    )
    assert messages == []
    assert text is not None
    catalog = package_of(tmp_path, "compiled_response_media", text)
    assert catalog.definition("shop.api.same").result_schema == OBJECT
    server.answers = [
        JSONResponse({"a": "x"}),
        PlainTextResponse("a,b", media_type="text/csv"),
        Response(b"%PDF", media_type="application/pdf"),
    ]
    made = [json.loads(invoke(catalog, "several", base_url=server.url).payload) for _ in range(3)]
    assert made == [{"a": "x"}, "a,b", {"media_type": "application/pdf", "size": 4, "artifact": None}]
