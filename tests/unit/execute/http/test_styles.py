"""Styles: values sent for each location, style and explode match openapi-core and RFC 6570."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_core import OpenAPI
from openapi_core.deserializing.styles.util import label_loads, matrix_loads
from openapi_core.testing import MockRequest
from werkzeug.datastructures import ImmutableMultiDict

from tests.unit.execute.http.api import Recorder, error_of, import_text, invoke, invoke_all, package_of
from toolgen.execute.http.styles import in_path, pairs

if TYPE_CHECKING:
    from tests.unit.execute.http.api import Recorded
    from toolgen.runtime import Catalog

SCHEMAS: dict[str, Any] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "array": {"type": "array", "items": {"type": "string"}},
    "integers": {"type": "array", "items": {"type": "integer"}},
    "object": {"type": "object", "properties": {"R": {"type": "integer"}, "G": {"type": "string"}}},
}
LISTS = ("array", "integers", "object")

READ: list[tuple[str, str, bool, str]] = [
    *(("path", "simple", explode, kind) for explode in (True, False) for kind in SCHEMAS),
    *(("header", "simple", explode, kind) for explode in (True, False) for kind in SCHEMAS),
    *(("query", "form", True, kind) for kind in SCHEMAS if kind != "object"),
    *(("query", "form", False, kind) for kind in SCHEMAS),
    *(("query", style, False, kind) for style in ("spaceDelimited", "pipeDelimited") for kind in LISTS),
    ("query", "deepObject", True, "object"),
    *(("cookie", "form", False, kind) for kind in SCHEMAS),
]
"""What openapi-core supports: location, style, explode, and the kind of value."""


def operation_id(place: str, style: str, explode: bool, kind: str) -> str:
    return f"{place}_{style}_{'exploded' if explode else 'joined'}_{kind}"


def description() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for place, style, explode, kind in READ:
        name = operation_id(place, style, explode, kind)
        parameter = {"name": "v", "in": place, "style": style, "explode": explode, "required": True}
        paths[f"/{name}" + ("/{v}" if place == "path" else "")] = {
            "get": {
                "operationId": name,
                "parameters": [{**parameter, "schema": SCHEMAS[kind]}],
                "responses": {"200": {"description": "It worked."}},
            }
        }
    head = {"openapi": "3.1.0", "info": {"title": "Styles", "version": "1"}, "servers": [{"url": "http://app"}]}
    return {**head, "paths": paths}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    text, messages = import_text(json.dumps(description()))
    assert messages == []
    assert text is not None
    return package_of(tmp_path_factory.mktemp("styles"), "compiled_styles", text)


@pytest.fixture(scope="module")
def reader() -> OpenAPI:
    return OpenAPI.from_dict(description())


def read(reader: OpenAPI, request: Recorded) -> Any:
    """Read a request with openapi-core. It splits values; percent-encoded parts are decoded afterwards."""
    sent = [pair.partition("=")[::2] for pair in request.query.split("&") if pair]
    cookies = dict(pair.split("=", 1) for pair in (request.header("cookie") or "").split("; ") if pair)
    mock = MockRequest("http://app", "get", request.path, headers=dict(request.headers), cookies=cookies)
    is_piped = "pipeDelimited" in request.path
    mock.parameters.query = ImmutableMultiDict(
        [(unquote(name), value.replace("%7C", "|") if is_piped else value) for name, value in sent]
    )
    found = reader.unmarshal_request(mock)
    found.raise_for_errors()
    values = {**found.parameters.path, **found.parameters.query, **found.parameters.cookie}
    return found.parameters.header["v"] if "v" in found.parameters.header else decoded(values["v"])


def decoded(value: Any) -> Any:
    match value:
        case str():
            return unquote(value)
        case list():
            return [decoded(each) for each in value]
        case dict():
            return {key: decoded(each) for key, each in value.items()}
        case _:
            return value


def values_of(place: str, style: str, kind: str) -> st.SearchStrategy[Any]:
    """Draw values that a style can distinguish: without its own separator, unless that is encoded differently."""
    excluded = {"header": ",=", "spaceDelimited": " ", "pipeDelimited": "|", "label": "."}
    without = excluded.get(place, "") + excluded.get(style, "")
    if place == "path":  # see test_routes.py for what no path has
        letters = st.characters(categories=("Lu", "Ll", "Lo", "Nd", "Pd", "Zs"), exclude_characters=f"%{without}")
    elif place == "header":
        letters = st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters=without)
    else:
        letters = st.characters(codec="utf-8", exclude_characters=without)
    text = st.text(letters, min_size=1, max_size=8).filter(lambda each: bool(each.strip()))
    number = st.integers(-(10**9), 10**9)
    return {
        "string": text,
        "integer": number,
        "number": st.floats(allow_nan=False, allow_infinity=False, width=32),
        "boolean": st.booleans(),
        "array": st.lists(text, min_size=1, max_size=4),
        "integers": st.lists(number, min_size=1, max_size=4),
        "object": st.fixed_dictionaries({"R": number, "G": text}),
    }[kind]


@pytest.mark.parametrize("form", READ, ids=lambda form: operation_id(*form))
@settings(max_examples=3)
@given(data=st.data())
@pytest.mark.variants(18)
def test_openapi_core_decodes_the_sent_values(
    catalog: Catalog, reader: OpenAPI, form: tuple[str, str, bool, str], data: st.DataObject
) -> None:
    place, style, _, kind = form
    values = data.draw(st.lists(values_of(place, style, kind), min_size=4, max_size=4))
    recorder = Recorder()

    results = invoke_all(catalog, [(operation_id(*form), {"v": value}) for value in values], app=recorder)

    assert [result.error for result in results] == [None] * len(values)
    assert [read(reader, request) for request in recorder.requests] == values


@pytest.mark.parametrize("explode", [True, False])
@pytest.mark.parametrize("style", ["label", "matrix"])
@pytest.mark.parametrize("kind", SCHEMAS)
@settings(max_examples=8)
@given(data=st.data())
def test_openapi_core_decodes_labels_and_matrices(style: str, explode: bool, kind: str, data: st.DataObject) -> None:
    value = data.draw(values_of("path", style, kind))
    sent = in_path("v", value, style, explode=explode)
    loads, mark = (label_loads, ".") if style == "label" else (matrix_loads, ";")
    key = f"{mark}v{'*' if explode else ''}"

    assert decoded(loads(explode, "v", SCHEMAS[kind]["type"], {key: sent})) == texts(value)


def texts(value: Any) -> Any:
    if isinstance(value, list):
        return [texts(each) for each in value]
    if isinstance(value, dict):
        return {key: texts(each) for key, each in value.items()}
    is_integral = isinstance(value, float) and value.is_integer()
    return value if isinstance(value, str) else json.dumps(int(value) if is_integral else value)


@pytest.mark.parametrize(
    ("style", "explode", "value", "sent"),
    [
        ("form", True, [1, None, 2.0, 0.5, {"a": 1}], "color=1&color=2&color=0.5&color=%7B%22a%22%3A1%7D"),
        ("form", False, {"a": ["b"]}, "color=a,%5B%22b%22%5D"),
        ("form", True, {"a": {"b": None}}, "a=%7B%22b%22%3Anull%7D"),
        ("spaceDelimited", True, ["a", "b"], "color=a&color=b"),
        ("pipeDelimited", True, {"a": 1}, "a=1"),
        ("pipeDelimited", False, "a", "color=a"),
        ("deepObject", False, {"a": 1}, "color%5Ba%5D=1"),
        ("deepObject", True, "a", "color=a"),
        ("deepObject", True, ["a", "b"], "color%5B0%5D=a&color%5B1%5D=b"),
        ("deepObject", True, {"a": {"b": [1, {"c": True}]}}, "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=true"),
        ("deepObject", True, {"a": {"b": None, "c": []}}, ""),
    ],
)  # fmt: skip
def test_what_openapi_leaves_undefined_is_sent_as_the_guide_says(
    style: str, explode: bool, value: Any, sent: str
) -> None:
    assert "&".join(f"{name}={text}" for name, text in pairs("color", value, style, explode=explode)) == sent


@pytest.mark.parametrize("value", ["", ".", ".."])
def test_no_value_changes_the_path_of_a_request(catalog: Catalog, value: str) -> None:
    recorder = Recorder()

    error = error_of(invoke(catalog, "path_simple_joined_string", {"v": value}, app=recorder))

    assert (error.kind, error.code) == ("invalid_call", "invalid_path_value")
    assert recorder.requests == []


def test_no_value_adds_a_header(catalog: Catalog) -> None:
    recorder = Recorder()

    error = error_of(invoke(catalog, "header_simple_joined_string", {"v": "a\r\nX-Admin: yes"}, app=recorder))

    assert error.code == "invalid_header_value"
    assert recorder.requests == []


def test_a_header_that_is_not_ascii_is_sent_as_utf_8(catalog: Catalog) -> None:
    recorder = Recorder()
    invoke(catalog, "header_simple_joined_string", {"v": "é"}, app=recorder)
    assert (recorder.last.header("v") or "").encode("latin-1").decode() == "é"


PLACES = """
toolgen: 1
toolset: shop.api
kind: http
tools:
  whole: {description: x, args: {q: object}, http: {method: QUERY, path: /,
    params: {q: {in: querystring, content: application/x-www-form-urlencoded}}}}
  json: {description: x, args: {q: object}, http: {method: GET, path: /, params: {q: {in: querystring, content: application/json}}}}
  path: {description: x, args: {q: string}, http: {method: GET, path: /, params: {q: {in: querystring, content: application/jsonpath}}}}
  given: {description: x, args: {q: string}, http: {method: GET, path: /,
    params: {q: {in: querystring, content: application/x-www-form-urlencoded}}}}
  content: {description: x, args: {q: object, c: object}, http: {method: GET, path: /,
    params: {q: {in: query, content: application/json}, c: {in: cookie, content: application/json}}}}
  cookie: {description: x, args: {c: string, d: [string]}, http: {method: GET, path: /,
    params: {c: {in: cookie, style: cookie}, d: {in: cookie, style: cookie}}}}
  reserved: {description: x, args: {q: string}, http: {method: GET, path: /, params: {q: {in: query, allow_reserved: true}}}}
  tabs: {description: x, args: {q: [string], h: [string]}, http: {method: GET, path: /,
    params: {q: {in: query, style: tabDelimited}, h: {in: header, style: tabDelimited}}}}
"""


def test_other_locations_and_styles(tmp_path_factory: pytest.TempPathFactory) -> None:
    catalog = package_of(tmp_path_factory.mktemp("places"), "compiled_places", PLACES)
    recorder = Recorder()

    def sent(tool: str, args: Any) -> str:
        assert invoke(catalog, tool, args, app=recorder).error is None
        return recorder.last.query

    assert sent("whole", {"q": {"foo": "a + b", "bar": True}}) == "foo=a+%2B+b&bar=true"  # the example of OpenAPI 3.2
    assert (
        sent("whole", {"q": {"a": "b&c", "d": [1, 2], "e": {"f": 1}, "g": None, "h h": ""}})
        == "a=b%26c&d=1&d=2&e=%7B%22f%22%3A1%7D&h+h="
    )
    assert sent("whole", {"q": {}}) == ""
    assert recorder.last.method == "QUERY"
    assert sent("json", {"q": {"a": 1}}) == "%7B%22a%22%3A1%7D"
    assert sent("path", {"q": "$.a.b[1:1]"}) == "%24.a.b%5B1%3A1%5D"  # the example of OpenAPI 3.2
    assert sent("given", {"q": "a=b+c&d=%41#x"}) == "a=b+c&d=%41%23x"
    assert sent("content", {"q": {"a": 1}, "c": {"b": 2}}) == "q=%7B%22a%22%3A1%7D"
    assert recorder.last.header("cookie") == "c=%7B%22b%22%3A2%7D"
    sent("cookie", {"c": "a/b%20", "d": ["x", "y"]})
    assert recorder.last.header("cookie") == "c=a/b%20; d=x; d=y"
    for text in ("a b", "a;b", "a,b", '"a"', "a\\b", "é", "a\n"):
        error = error_of(invoke(catalog, "cookie", {"c": text, "d": []}, app=recorder))
        assert (error.kind, error.code) == ("invalid_call", "invalid_cookie_value")
    assert sent("reserved", {"q": "a/b?c=d&e#f+g h"}) == "q=a/b?c=d%26e%23f%2Bg%20h"
    assert sent("tabs", {"q": ["a", "b"], "h": ["a", "b"]}) == "q=a%09b"
    assert recorder.last.header("h") == "a\tb"
