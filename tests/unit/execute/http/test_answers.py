"""Answers: what an API answered is visible, whether it is as declared or not, and so is what its headers say."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from tests.unit.compiler.specs import resolved
from tests.unit.execute.http.api import TOOLSET, Recorder, error_of, import_text, invoke, invoke_all, package_of
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.execute.http.responses import next_link
from toolgen.record import MemoryStore
from toolgen.runtime import Runtime, allow_all

if TYPE_CHECKING:
    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

TOOLS = """
tools:
  make: {description: x, args: {n: integer}, result: {id: integer, "key?": {type: string, writeOnly: true}},
    http: {method: POST, path: /items, body: {media_type: application/json}}}
  get: {description: x, permission: readonly, args: {}, result: {id: integer}, http: {method: GET, path: /items/1}}
  pages: {description: x, permission: readonly, args: {"page?": string}, result: {type: array, items: {type: integer}},
    bounded: {cursor: page, next_header: Link}, http: {method: GET, path: /pages, params: {page: {in: query, name: p}}}}
  cursors: {description: x, permission: readonly, args: {"after?": string}, result: {type: array, items: {type: integer}},
    bounded: {cursor: after, next_header: X-Next-Cursor}, http: {method: GET, path: /cursors, params: {after: query}}}
  text: {description: x, permission: readonly, args: {}, result: string, http: {method: GET, path: /text}}
  nullable: {description: x, permission: readonly, args: {}, result: {type: [string, "null"]}, http: {method: GET, path: /text}}
  number: {description: x, permission: readonly, args: {}, result: {type: number}, http: {method: GET, path: /text}}
  any: {description: x, permission: readonly, args: {}, http: {method: GET, path: /text}}
"""
HEAD = "toolgen: 1\ntoolset: shop.api\nkind: http\napi:\n  base_url: https://api.shop.example\n  headers: {X-Key: $env.KEY}\n"
ENVIRONMENT = {"KEY": "key-12345"}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("strict"), "compiled_strict", HEAD + TOOLS)


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    text = f"{HEAD}  validate_responses: false\n{TOOLS}"
    return package_of(tmp_path_factory.mktemp("lenient"), "compiled_lenient", text)


def call(catalog: Catalog, tool: str, args: Any, answer: Response) -> Any:
    return invoke(catalog, tool, args, app=Recorder(answers=[answer]), environment=ENVIRONMENT)


OTHERWISE: list[tuple[Response, str, Any]] = [
    (Response(status_code=204), "204 No Content", None),
    (Response(status_code=200), "200 OK", None),
    (JSONResponse({"id": "one"}, 201), "201 Created", {"id": "one"}),
    (JSONResponse({"job": 7}, 202), "202 Accepted", {"job": 7}),
    (JSONResponse([1, 2]), "200 OK", [1, 2]),
    (HTMLResponse("<p>Done</p>"), "200 OK", "<p>Done</p>"),
    (PlainTextResponse("done"), "200 OK", "done"),
    (Response(b"{broken", media_type="application/json"), "200 OK", "{broken"),
    (Response(b"\x00\x01", media_type="image/png"), "200 OK", {"media_type": "image/png", "size": 2, "artifact": None}),
    (JSONResponse({"x": 1}, 299), "299", {"x": 1}),
]


@pytest.mark.parametrize(("answer", "status", "body"), OTHERWISE)
def test_a_success_that_is_not_as_declared_is_visible_with_status_and_body(
    strict: Catalog, answer: Response, status: str, body: Any
) -> None:
    result = call(strict, "make", {"n": 1}, answer)
    error = error_of(result)
    assert (error.kind, error.code) == ("malformed_result", "malformed_result")
    assert error.message.startswith(f"the API answered {status}, but not as its result is declared: ")
    assert "do not repeat it" in error.hint
    assert error.issues
    assert (result.metadata["http"]["status"], result.metadata["http"]["body"]) == (answer.status_code, body)
    assert [(block.type, block.data) for block in result.blocks[1:]] == [("json", body)]
    assert status in result.blocks[0].data
    assert "do not repeat it" in result.blocks[0].data
    read = error_of(call(strict, "get", {}, answer))
    assert "repeat" not in read.hint


@pytest.mark.parametrize(("answer", "status", "body"), OTHERWISE)
def test_a_lenient_toolset_returns_what_is_not_as_declared(
    lenient: Catalog, answer: Response, status: str, body: Any, caplog: pytest.LogCaptureFixture
) -> None:
    result = call(lenient, "make", {"n": 1}, answer)
    assert (result.error, result.value) == (None, body)
    assert json.loads(result.payload) == body
    assert result.metadata["http"]["status"] == answer.status_code
    (issue, *_) = result.metadata["result_differs"]
    assert issue.keys() == {"pointer", "expected", "found"}
    assert f"[the API answered {status}, which is not the declared result: " in result.content[-1].data
    assert "the result of shop.api.make differs from its schema" in caplog.text


@pytest.mark.parametrize("catalog", ["strict", "lenient"])
def test_an_answer_that_fits_is_typed_whatever_its_status(catalog: str, request: pytest.FixtureRequest) -> None:
    for status in (200, 201, 203):
        result = call(request.getfixturevalue(catalog), "make", {"n": 1}, JSONResponse({"id": 1}, status))
        assert result.error is None
        assert result.value is not None
        assert not isinstance(result.value, dict)
        assert result.payload == b'{"id":1}'
        assert result.metadata == {"http": {"status": status}}
        assert [block.type for block in result.content] == ["json"]


def test_a_misfit_is_on_record(lenient: Catalog) -> None:
    store = MemoryStore()
    host = HttpHost(environment=ENVIRONMENT, app=Recorder(answers=[JSONResponse({"id": "one"})]))
    runtime = Runtime(lenient, permission=allow_all, executors=[http_executor(lenient, TOOLSET, host)], store=store)

    async def called() -> list[Any]:
        run = runtime.start_run()
        await runtime.invoke(ToolRequest(name=f"{TOOLSET}.make", payload='{"n": 1}'), run=run)
        return list((await store.read(run.meta.run_id or "")).events)

    (event,) = [event for event in asyncio.run(called()) if event.kind == "result_differs"]
    assert [each["pointer"] for each in event.data["issues"]] == ["/id"]


@pytest.mark.parametrize("catalog", ["strict", "lenient"])
def test_secrets_of_a_misfit_are_in_no_other_field(catalog: str, request: pytest.FixtureRequest) -> None:
    result = call(
        request.getfixturevalue(catalog), "make", {"n": 1}, JSONResponse({"id": "hunter2!", "key": "hunter2!"})
    )
    assert "hunter2" not in str(result.metadata)
    assert "hunter2" not in str(result.error)
    if catalog == "strict":
        assert "hunter2" not in str(result.blocks)


def test_a_long_body_is_shown_in_part(strict: Catalog) -> None:
    result = call(strict, "make", {"n": 1}, PlainTextResponse("x" * 100_000))
    assert error_of(result).message.startswith("the API answered 200 OK")
    assert len(result.metadata["http"]["body"]) < 10_000


def test_a_write_whose_answer_is_too_long_is_known_to_have_succeeded(strict: Catalog) -> None:
    recorder = Recorder(answers=[PlainTextResponse("x" * 9000, 201)])
    result = invoke(strict, "make", {"n": 1}, app=recorder, environment=ENVIRONMENT, response_bytes=1000)
    error = error_of(result)
    assert (error.code, result.metadata["http"]["status"]) == ("response_too_large", 201)
    assert "answered 201 Created" in error.message
    assert "do not repeat it" in error.hint


def test_imports_are_lenient_and_stay_as_people_write_them() -> None:
    described = {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "servers": [{"url": "https://a.example"}],
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}}  # fmt: skip
    text, _ = import_text(json.dumps(described))
    assert text is not None
    assert "validate_responses: false" in text


def test_headers_reach_the_metadata_without_credentials(strict: Catalog) -> None:
    headers = {
        "Link": '<https://u:secret@api.shop.example/items?page=2&access_token=abcdef123456>; rel="next"',
        "ETag": '"v1"',
        "X-RateLimit-Remaining": "7",
        "RateLimit": '"default";r=50;t=30',
        "Location": "/items/1?key=key-12345",
        "X-Total-Count": "90",
        "Set-Cookie": "session=1",
        "X-Internal": "host-7",
        "Retry-After": "x" * 9000,
    }
    found = call(strict, "make", {"n": 1}, JSONResponse({"id": 1}, 201, headers=headers)).metadata["http"]["headers"]
    assert found == {
        "link": '<https://[redacted]@api.shop.example/items?page=2&access_token=[redacted]>; rel="next"',
        "etag": '"v1"',
        "x-ratelimit-remaining": "7",
        "ratelimit": '"default";r=50;t=30',
        "location": "/items/1?key=[redacted]",
        "x-total-count": "90",
        "retry-after": "x" * 2000,
    }
    failed = call(strict, "make", {"n": 1}, JSONResponse({"detail": "no"}, 409, headers=headers))
    assert failed.metadata["http"]["headers"] == found


NEXT = '<https://api.shop.example/pages?size=2&p=b%20c>; rel="next", <https://api.shop.example/pages?p=z>; rel="last"'


@pytest.mark.parametrize("catalog", ["strict", "lenient"])
def test_pages_go_on_by_the_link_of_a_response(catalog: str, request: pytest.FixtureRequest) -> None:
    compiled = request.getfixturevalue(catalog)
    recorder = Recorder(answers=[JSONResponse([1, 2], headers={"Link": NEXT}), JSONResponse([3])])
    first = invoke(compiled, "pages", {}, app=recorder, environment=ENVIRONMENT)
    assert first.bounds is not None
    assert (first.bounds.truncated, first.bounds.next_cursor, first.bounds.returned) == (True, "b c", 2)
    assert first.metadata["http"]["next"] == "b c"
    assert first.content[-1].data == '[2 shown; for more call again with page = "b c"]'
    last = invoke(compiled, "pages", {"page": first.bounds.next_cursor}, app=recorder, environment=ENVIRONMENT)
    assert recorder.last.query == "p=b%20c"
    assert last.bounds is not None
    assert (last.bounds.truncated, last.bounds.next_cursor) == (False, None)


@pytest.mark.parametrize("tool", ["pages", "cursors"])
def test_an_answer_that_is_no_page_is_visible_too(strict: Catalog, lenient: Catalog, tool: str) -> None:
    answer = {"message": "maintenance"}
    assert call(lenient, tool, {}, JSONResponse(answer)).value == answer
    assert call(strict, tool, {}, JSONResponse(answer)).metadata["http"] == {
        "status": 200,
        "next": None,
        "body": answer,
    }


def test_pages_go_on_by_a_header_with_the_cursor(strict: Catalog) -> None:
    result = call(strict, "cursors", {}, JSONResponse([1], headers={"X-Next-Cursor": "c2"}))
    assert (result.bounds.truncated, result.bounds.next_cursor) == (True, "c2")
    assert call(strict, "cursors", {}, JSONResponse([1])).bounds.truncated is False


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('<https://a/?p=2>; rel="next"', "https://a/?p=2"),
        ("<https://a/?p=2>;rel=next", "https://a/?p=2"),
        ('<https://a/1>; rel="prev", <https://a/3>; rel="next"; title="a, b"', "https://a/3"),
        ('<https://a/1>; title="x; rel=next"; rel=prev', ""),
        ('<https://a/3>; REL="Start NEXT"', "https://a/3"),
        ('<https://a/a,b>; rel="next"', "https://a/a,b"),
        ("", ""),
        ("rel=next", ""),
    ],
)
def test_links_are_read_as_rfc_8288_has_them(text: str, url: str) -> None:
    assert next_link(text) == url


@given(text=st.text(st.sampled_from('<>;,=" relnext'), max_size=200))
def test_any_link_header_is_read(text: str) -> None:
    assert isinstance(next_link(text), str)


def test_a_hostile_link_header_takes_linear_time() -> None:
    for piece in ("<", '<>;a="', "<>;a=b;", "<a>;rel=", '";'):
        assert next_link(piece * 5_000_000) in ("", "a")


def test_a_page_names_one_place_of_its_cursor() -> None:
    both = HEAD + TOOLS.replace("next_header: Link", "next_header: Link, next: x")
    neither = HEAD + TOOLS.replace(", next_header: Link", "")
    for text in (both, neither):
        assert any("needs either `next`" in message for message in resolved(text).messages)


LOOKS_LIKE_JSON = [
    "1.10",
    "1234567890123456789.10",
    "1e5",
    "true",
    "null",
    '"quoted"',
    ' {"a": 1}\n',
    "[",
    "",
    "\x00",
    "é\u2028\r\n",
]


@pytest.mark.parametrize("catalog", ["strict", "lenient"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(
    texts=st.lists(st.text() | st.sampled_from(LOOKS_LIKE_JSON), max_size=5).map(lambda more: [*LOOKS_LIKE_JSON, *more])
)
@pytest.mark.variants(1)
def test_a_text_of_an_api_is_exactly_the_result(
    catalog: str, request: pytest.FixtureRequest, server: Server, texts: list[str]
) -> None:
    texts = [text.removeprefix("\ufeff") for text in texts]  # a mark of the encoding, and no text
    for tool in ("text", "nullable"):
        server.answers[:] = [PlainTextResponse(text) for text in texts]
        host: dict[str, Any] = {"base_url": server.url, "environment": ENVIRONMENT}
        results = invoke_all(request.getfixturevalue(catalog), [(tool, {})] * len(texts), **host)
        assert [(result.error, result.value) for result in results] == [(None, text) for text in texts]
        assert [json.loads(result.payload) for result in results] == texts


@pytest.mark.parametrize(
    ("tool", "answer", "value"),
    [
        ("text", Response(b"1.10"), "1.10"),
        ("text", Response(b"null", media_type="text/csv"), "null"),
        ("text", JSONResponse("quoted"), "quoted"),
        ("text", Response(b"plain", media_type="application/json"), "plain"),
        ("text", Response(b""), ""),
        ("nullable", Response(b""), None),
        ("nullable", Response(b"null"), None),
        ("nullable", Response(b"null", media_type="text/plain"), "null"),
        ("nullable", JSONResponse(None), None),
        ("number", PlainTextResponse("1.10"), 1.1),
        ("number", JSONResponse(1.1), 1.1),
        ("any", PlainTextResponse("1.10"), "1.10"),
        ("any", PlainTextResponse(""), None),
        ("any", JSONResponse(1.1), 1.1),
    ],
)
def test_what_the_answer_is_labelled_as_and_the_schema_say_whether_a_text_is_json(
    strict: Catalog, server: Server, tool: str, answer: Response, value: Any
) -> None:
    server.answers[:] = [answer]
    result = invoke(strict, tool, base_url=server.url, environment=ENVIRONMENT)
    assert (result.error, result.value) == (None, value)


def test_a_long_text_with_many_brackets_is_a_result_too(strict: Catalog) -> None:
    text = "[1," * 300_000
    assert call(strict, "text", {}, PlainTextResponse(text)).value == text
