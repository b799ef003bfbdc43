"""Bodies: the bytes sent for each media type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartParser

from tests.unit.compiler.specs import resolved
from tests.unit.execute.http.api import Recorder, error_of, import_text, invoke, package_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from toolgen.runtime import Catalog

ADDRESS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "lines": {"type": "array", "items": {"type": "string"}}},
}
FIELDS = {
    "name": {"type": "string"},
    "age": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "address": ADDRESS,
}


def operation(name: str, media_type: str, schema: Any, **media: Any) -> dict[str, Any]:
    body = {"content": {media_type: {"schema": schema, **media}}, "required": True}
    return {"post": {"operationId": name, "requestBody": body, "responses": {"200": {"description": "ok"}}}}


def described() -> dict[str, Any]:
    form, multipart = "application/x-www-form-urlencoded", "multipart/form-data"
    fields = {"type": "object", "properties": FIELDS}
    binary = {"type": "string", "contentMediaType": "application/octet-stream"}
    file = {"type": "object", "properties": {"file": binary, "files": {"type": "array", "items": binary}, **FIELDS}}
    deep = {"address": {"style": "deepObject", "explode": True}, "tags": {"style": "form", "explode": False}}
    styled = {
        "address": {"style": "deepObject", "explode": True},
        "tags": {"style": "pipeDelimited", "explode": False},
        "name": {"style": "form", "allowReserved": True},
    }
    operations = {
        "json": operation("json", "application/json", fields),
        "merge": operation("merge", "application/merge-patch+json", fields),
        "list": operation("list", "application/json", {"type": "array", "items": {"type": "integer"}}),
        "form": operation("form", form, fields),
        "deep": operation("deep", form, fields, encoding=deep),
        "upload": operation("upload", multipart, file, encoding={"file": {"contentType": "image/png"}}),
        "styled": operation("styled", form, fields, encoding=styled),
        "parts": operation("parts", multipart, fields, encoding=styled),
        "text": operation("text", "text/plain", {"type": "string"}),
        "bytes": operation("bytes", "application/octet-stream", {}),
        "xml": operation("xml", "application/xml", {"type": "object"}),
    }
    paths = {f"/{name}": each for name, each in operations.items()}
    head = {"openapi": "3.1.0", "info": {"title": "Bodies", "version": "1"}, "servers": [{"url": "http://app"}]}
    return {**head, "paths": paths}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    text, messages = import_text(json.dumps(described()))
    assert messages == []
    assert text is not None
    return package_of(tmp_path_factory.mktemp("bodies"), "compiled_bodies", text)


@pytest.mark.parametrize(
    ("tool", "args", "media_type", "body"),
    [
        ("json", {"name": "é", "age": 2}, "application/json", '{"name":"é","age":2}'),
        ("json", {}, "application/json", "{}"),
        ("merge", {"age": 3}, "application/merge-patch+json", '{"age":3}'),
        ("list", {"body": [1, 2]}, "application/json", "[1,2]"),
        ("form", {"name": "a b&c=é*", "age": 2}, "application/x-www-form-urlencoded", "name=a+b%26c%3D%C3%A9*&age=2"),
        ("form", {"tags": ["x", "y"]}, "application/x-www-form-urlencoded", "tags=x&tags=y"),
        ("form", {"address": {"city": "Y"}}, "application/x-www-form-urlencoded", "address=%7B%22city%22%3A%22Y%22%7D"),
        ("deep", {"tags": ["x", "y"]}, "application/x-www-form-urlencoded", "tags=x,y"),
        (
            "deep",
            {"address": {"city": "Y", "lines": ["1", "2"]}},
            "application/x-www-form-urlencoded",
            "address%5Bcity%5D=Y&address%5Blines%5D%5B0%5D=1&address%5Blines%5D%5B1%5D=2",
        ),
        (
            "styled",
            {"address": {"city": "a b"}, "tags": ["x", "y&"], "name": "a/b?c&d+e%41%"},
            "application/x-www-form-urlencoded",
            "address%5Bcity%5D=a+b&tags=x%7Cy%26&name=a/b?c%26d%2Be%41%25",
        ),
        ("text", {"body": "hällo"}, "text/plain", "hällo"),
        ("bytes", {"body": "AAEC"}, "application/octet-stream", "\x00\x01\x02"),
        ("xml", {"body": "<a/>"}, "application/xml", "<a/>"),
    ],
)
def test_bodies_of_each_media_type(catalog: Catalog, tool: str, args: Any, media_type: str, body: str) -> None:
    recorder = Recorder()

    result = invoke(catalog, tool, args, app=recorder)

    assert result.error is None
    assert recorder.last.header("content-type") == media_type
    assert recorder.last.body == body.encode()
    assert recorder.last.header("content-length") == str(len(recorder.last.body))


NAMES = st.text(st.characters(codec="utf-8"), max_size=8)
ADDRESSES = st.fixed_dictionaries({}, optional={"city": NAMES, "lines": st.lists(NAMES, max_size=2)})
ARGS = st.fixed_dictionaries(
    {"name": NAMES},
    optional={"age": st.integers(-99, 99), "tags": st.lists(NAMES, min_size=2), "address": ADDRESSES},
)


@settings(max_examples=20)
@given(args=ARGS)
@pytest.mark.parametrize("tool", ["json", "form"])
def test_openapi_core_decodes_the_args_of_any_call(catalog: Catalog, tool: str, args: Any) -> None:
    recorder = Recorder()
    assert invoke(catalog, tool, args, app=recorder).error is None
    sent = recorder.last
    media_type = sent.header("content-type") or ""
    if tool == "form" and "address" in args:
        args = {name: value for name, value in args.items() if name != "address"}  # openapi-core reads no JSON in forms
        sent_body = b"&".join(pair for pair in sent.body.split(b"&") if not pair.startswith(b"address="))
    else:
        sent_body = sent.body
    mock = MockRequest("http://app", "post", sent.path, data=sent_body, content_type=media_type)
    found = OpenAPI.from_dict(described()).unmarshal_request(mock)
    found.raise_for_errors()
    assert (found.body or {}) == args


async def parts_of(content_type: str, body: bytes) -> list[tuple[str, str | None, str | None, bytes]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    form = await MultiPartParser(Headers({"content-type": content_type}), stream()).parse()
    found: list[tuple[str, str | None, str | None, bytes]] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            found.append((name, value.filename, value.content_type, await value.read()))
            await value.close()
        else:
            found.append((name, None, None, value.encode()))
    return found


def test_a_multipart_body_has_a_part_for_each_field_and_item(catalog: Catalog) -> None:
    recorder = Recorder()
    args = {"file": "iVBO", "files": ["AAE=", "Ag=="], "name": "é", "tags": ["x", "y"], "address": {"city": "Y"}}

    assert invoke(catalog, "upload", args, app=recorder).error is None

    import asyncio

    content_type = recorder.last.header("content-type") or ""
    assert parse_options_header(content_type)[0] == b"multipart/form-data"
    assert asyncio.run(parts_of(content_type, recorder.last.body)) == [
        ("file", "file", "image/png", b"\x89PN"),
        ("files", "files", "application/octet-stream", b"\x00\x01"),
        ("files", "files", "application/octet-stream", b"\x02"),
        ("name", None, None, "é".encode()),
        ("tags", None, None, b"x"),
        ("tags", None, None, b"y"),
        ("address", None, None, b'{"city":"Y"}'),
    ]
    assert b"Content-Type: application/json\r\n\r\n{" in recorder.last.body


def test_a_file_has_the_name_that_the_call_gives_it(catalog: Catalog) -> None:
    import asyncio

    recorder = Recorder()
    args = {"file": "iVBO", "file_name": 'a"b\r\n.png'}
    assert invoke(catalog, "upload", args, app=recorder).error is None
    content_type = recorder.last.header("content-type") or ""
    assert asyncio.run(parts_of(content_type, recorder.last.body)) == [
        ("file", "a%22b%0D%0A.png", "image/png", b"\x89PN")
    ]


def test_parts_of_a_body_have_styles(catalog: Catalog) -> None:
    import asyncio

    recorder = Recorder()
    args = {"address": {"city": "a b", "lines": ["1"]}, "tags": ["x", "y&"], "name": "é%"}
    assert invoke(catalog, "parts", args, app=recorder).error is None
    assert asyncio.run(parts_of(recorder.last.header("content-type") or "", recorder.last.body)) == [
        ("address[city]", None, None, b"a b"),
        ("address[lines][0]", None, None, b"1"),
        ("tags", None, None, b"x|y&"),
        ("name", None, None, "é%".encode()),
    ]


def test_bytes_are_base64_text(catalog: Catalog) -> None:
    recorder = Recorder()

    error = error_of(invoke(catalog, "bytes", {"body": "no base64!"}, app=recorder))

    assert (error.kind, error.code) == ("invalid_call", "invalid_base64")
    assert recorder.requests == []


CHOSEN = """
toolgen: 1
toolset: shop.chosen
kind: http
api: {base_url: http://app}
tools:
  text: {description: x, args: {t: string, mt: string},
    http: {method: POST, path: /, body: {media_type: text/plain, arg: t, type_arg: mt}}}
  part: {description: x, args: {t: string, mt: string},
    http: {method: POST, path: /, body: {media_type: multipart/form-data,
      encoding: {t: {content_type: text/plain, type_arg: mt}}}}}
"""


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("chosen"), "compiled_chosen", CHOSEN)


@pytest.mark.parametrize("tool", ["text", "part"])
@pytest.mark.parametrize(
    "charset",
    [*("punycode", "idna", "undefined", "utf-7", "unicode_escape", "rot13", "base64", "mbcs", "klingon", "PUNYCODE")],
)
def test_no_text_is_encoded_by_a_codec_that_is_not_linear_or_not_of_text(
    chosen: Catalog, tool: str, charset: str
) -> None:
    recorder = Recorder()
    long = "".join(chr(0x4E00 + number) for number in range(20_000)) * 5  # takes Punycode minutes
    args = {"t": f"a..b{long}", "mt": f"text/plain; charset={charset}"}
    error = error_of(invoke(chosen, tool, args, toolset="shop.chosen", app=recorder))
    assert (error.kind, error.code, recorder.requests) == ("invalid_call", "invalid_media_type", [])


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "latin-1", "utf-16", "Shift_JIS", "windows-1252"])
def test_text_is_sent_in_the_charset_that_an_arg_chooses(chosen: Catalog, charset: str) -> None:
    recorder = Recorder()
    args = {"t": "abc", "mt": f"text/plain; charset={charset}"}
    assert invoke(chosen, "text", args, toolset="shop.chosen", app=recorder).error is None
    assert recorder.last.body == "abc".encode(charset)


@pytest.mark.parametrize(("charset", "is_refused"), [("punycode", True), ("klingon", True), ("ISO-8859-1", False)])
@pytest.mark.parametrize("key", ["media_type", "content_type"])
def test_a_build_refuses_a_charset_in_which_no_text_is_sent(charset: str, is_refused: bool, key: str) -> None:
    found = resolved(CHOSEN.replace(f"{key}: text/plain", f'{key}: "text/plain; charset={charset}"'))
    assert any("no charset in which texts are sent" in each for each in found.messages) is is_refused
