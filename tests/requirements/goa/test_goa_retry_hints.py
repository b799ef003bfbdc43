"""GOA-38: the validation error of a service is a retry hint where the tool enables it, and else a plain error."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import jsonschema
import jsonschema_rs
import pytest
from pydantic import BaseModel, Field

from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.test_malformed import PROGRAM
from toolgen.contract.records import FailureKind, RetryHint, ToolRequest, ToolResult
from toolgen.execute.http import http_executor as http_executor
from toolgen.execute.mcp import McpServer
from toolgen.execute.mcp import mcp_executor as mcp_executor
from toolgen.runtime import Catalog, Runtime, ToolDefinition, allow_all
from toolgen.runtime.base.errors import rejected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ARGS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}, "key": {"type": "string"}},
    "required": ["city"],
}
PAYLOAD = '{"city":"Atlantis","nights":0}'
STRICT = {"properties": {"nights": {"minimum": 1}}}
"""What the services check beyond the schema of the tool."""


class Booking(BaseModel):
    city: Annotated[str, Field(min_length=20)]
    nights: Annotated[int, Field(ge=1)]


def by_pydantic(args: dict[str, Any]) -> Any:
    return Booking.model_validate(args)


async def by_pydantic_later(args: dict[str, Any]) -> Any:
    await asyncio.sleep(0)
    return Booking.model_validate(args)


def by_jsonschema(args: dict[str, Any]) -> Any:
    jsonschema.validate(args, STRICT)


def by_jsonschema_rs(args: dict[str, Any]) -> Any:
    jsonschema_rs.validate(STRICT, args)


def by_http(args: dict[str, Any]) -> Any:
    body = {"detail": [{"loc": ["body", "nights"], "msg": "too few", "type": "greater_than_equal"}]}
    return httpx.Response(422, json=body, request=httpx.Request("POST", "http://b.example")).raise_for_status()


def call(handler: Callable[..., Any], payload: str = PAYLOAD, **metadata: Any) -> ToolResult[Any]:
    catalog = Catalog()
    definition = ToolDefinition(name="desk.book", description="Book.", input_schema=ARGS, metadata=metadata)
    catalog.register(definition, handler, profile="full")
    runtime = Runtime(catalog, permission=allow_all, inject={"key": lambda _meta: "k-1"})
    return asyncio.run(runtime.invoke(ToolRequest(name="desk.book", payload=payload)))


@pytest.mark.parametrize("step", ["0", "9" * 16, "9" * 5_000, "²", "-1", -1, 10**400])
def test_a_service_may_name_any_index(step: str | int) -> None:
    def handler(_args: dict[str, Any]) -> Any:
        raise jsonschema.ValidationError("too few", path=["guests", step])

    result = call(handler, '{"city":"Atlantis","nights":2,"guests":[7]}', retry_hints=True)
    assert result.error is not None
    assert result.error.code == "rejected_args"


def text_of(result: ToolResult[Any]) -> str:
    (block,) = result.content
    return str(block.data)


@pytest.mark.parametrize(
    ("handler", "fields", "line"),
    [
        (by_pydantic, ("/city", "/nights"), '- /city: String should have at least 20 characters (found "Atlantis")'),
        (by_pydantic_later, ("/city", "/nights"), "- /nights: Input should be greater than or equal to 1 (found 0)"),
        (by_jsonschema, ("/nights",), "- /nights: 0 is less than the minimum of 1 (found 0)"),
        (by_jsonschema_rs, ("/nights",), "- /nights: 0 is less than the minimum of 1 (found 0)"),
        (by_http, ("/nights",), "- /nights: too few (found 0)"),
    ],
    ids=["pydantic", "async", "jsonschema", "jsonschema-rs", "httpx"],
)
def test_goa_38_a_validation_error_of_a_handler_is_a_retry_hint_if_enabled(
    handler: Callable[..., Any], fields: tuple[str, ...], line: str
) -> None:
    result = call(handler, retry_hints=True)
    assert result.error is not None
    hint = result.retry_hint
    assert hint is not None
    assert hint == RetryHint(reason="the service rejected the args", fields=fields, example=result.error.example)
    assert json.loads(hint.example).keys() >= {"city"}
    assert (result.error.kind, result.error.code) == (FailureKind.INVALID_CALL, "rejected_args")
    assert result.error.cause is not None
    shown = text_of(result).splitlines()
    assert shown[0] == hint.reason
    assert line in shown
    assert shown[-1] == f"args that fit: {hint.example}"

    plain = call(handler)
    assert plain.retry_hint is None
    assert plain.error is not None
    assert (plain.error.kind, plain.error.code, plain.error.issues) == (FailureKind.INTERNAL, "handler_error", ())


def test_goa_38_args_that_do_not_fit_the_schema_are_a_retry_hint_always() -> None:
    hint = call(by_pydantic, '{"city":1}').retry_hint
    assert hint is not None
    assert (hint.reason, hint.fields) == ("invalid payload", ("/city",))


def fails(error: BaseException) -> Callable[..., Any]:
    def handler(_args: dict[str, Any]) -> Any:
        raise error

    return handler


def status_error(status: int, body: str) -> httpx.HTTPStatusError:
    request = httpx.Request("POST", "http://b.example")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(status, text=body))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        rejected("full", "the hotel is full"),
        status_error(500, '{"detail": [{"loc": ["nights"], "msg": "too few"}]}'),
        status_error(422, "no"),
    ],
    ids=["other", "meant", "500", "no json"],
)
def test_goa_38_any_other_error_stays_what_it_is(error: Exception) -> None:
    plain, enabled = call(fails(error)), call(fails(error), retry_hints=True)
    assert enabled.error == plain.error
    assert enabled.retry_hint is None


def test_goa_38_fields_that_the_host_injects_are_no_hint() -> None:
    def handler(_args: dict[str, Any]) -> Any:
        raise jsonschema.ValidationError("bad key k-1", path=["key"])

    result = call(handler, retry_hints=True, inject=["key"])
    assert result.error is not None
    assert result.error.code == "handler_error"


def test_goa_38_a_hint_reveals_no_folder_and_no_control_characters() -> None:
    error = jsonschema.ValidationError("see /home/ann/secret/file.py \x1b[31m", path=["nights"])
    shown = text_of(call(fails(error), retry_hints=True))
    assert "/home" not in shown
    assert "\x1b" not in shown


SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api: {app: "retry_hints_app:app"}
defaults: {retry_hints: true}
tools:
  book:
    description: Book.
    http:
      method: POST
      path: /book
      params: {town: {in: query, name: city}}
      body: {media_type: application/json, names: {count: nights}}
    args: {town: string, count: integer}
  book_plain:
    description: Book.
    retry_hints: false
    http:
      method: POST
      path: /book
      params: {town: {in: query, name: city}}
      body: {media_type: application/json, names: {count: nights}}
    args: {town: string, count: integer}
  problem:
    description: Answer with a problem.
    http: {method: POST, path: /problem, body: {media_type: application/json, names: {count: nights}}}
    args: {status: integer, body: string, count: integer}
"""
"""Two tools of one operation, one of them without hints; and one that answers what it is told to."""

APP = """
from typing import Annotated
import json
from fastapi import Body, FastAPI, Query
from fastapi.responses import JSONResponse

app = FastAPI()

@app.post("/book")
def book(city: Annotated[str, Query(min_length=20)], nights: Annotated[int, Body(embed=True, ge=1)]):
    return "booked"

@app.post("/problem")
def problem(status: Annotated[int, Body()], body: Annotated[str, Body()]):
    return JSONResponse(json.loads(body), status, media_type="application/problem+json")
"""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("retry_hints_api")
    (folder / "retry_hints_app.py").write_text(APP)
    catalog = package_of(folder, "retry_hints_api", SPEC)
    runtime = Runtime(catalog, executors=[http_executor(catalog, "shop.api")], permission=allow_all)

    def invoke(tool: str, **args: Any) -> ToolResult[Any]:
        return asyncio.run(runtime.invoke(ToolRequest(name=f"shop.api.{tool}", payload=json.dumps(args))))

    yield invoke
    sys.path.remove(str(folder))


def test_goa_38_a_422_of_fastapi_is_a_retry_hint_if_enabled(api: Any) -> None:
    """The names are those of the args, where the API has others."""
    result = api("book", town="Atlantis", count=0)
    assert result.retry_hint is not None
    assert result.retry_hint.fields == ("/town", "/count")
    assert result.error.code == "http_422"
    shown = text_of(result)
    assert '- /town: String should have at least 20 characters (found "Atlantis")' in shown
    assert "- /count: Input should be greater than or equal to 1 (found 0)" in shown
    plain = api("book_plain", town="Atlantis", count=0)
    assert plain.retry_hint is None
    assert (plain.error.kind, plain.error.code) == (FailureKind.DOMAIN_REJECTION, "http_422")


BODIES = {
    "RFC 9457": {"title": "Bad.", "errors": [{"detail": "too few", "pointer": "#/nights"}]},
    "RFC 7807": {"title": "Bad.", "invalid-params": [{"name": "nights", "reason": "too few"}]},
    "JSON:API": {"errors": [{"status": "422", "source": {"pointer": "/nights"}, "detail": "too few"}]},
    "ASP.NET": {"title": "Bad.", "errors": {"nights": ["too few"]}},
    "Rails": {"errors": {"nights": "too few"}},
    "Zod": {"issues": [{"code": "too_small", "path": ["nights"], "message": "too few"}]},
    "Symfony": {"violations": [{"propertyPath": "nights", "title": "too few"}]},
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("status", [400, 422])
def test_goa_38_the_common_forms_of_errors_are_read(api: Any, body: Any, status: int) -> None:
    result = api("problem", status=status, body=json.dumps(body), count=0)
    assert result.retry_hint is not None
    assert result.retry_hint.fields == ("/count",)
    assert "- /count: too few (found 0)" in text_of(result)


NO_HINTS = [
    (409, BODIES["RFC 9457"]),
    (500, BODIES["RFC 9457"]),
    (422, {"detail": "no"}),
    (422, {"errors": ["no", 1, {"pointer": "#/a"}, {"detail": "x"}, {"path": 1, "detail": 2}]}),
    (422, {"errors": {"nights": 1}}),
    (422, [1]),
    (422, None),
]


@pytest.mark.parametrize(("status", "body"), NO_HINTS)
def test_goa_38_a_body_without_errors_of_fields_is_a_plain_error(api: Any, status: int, body: Any) -> None:
    result = api("problem", status=status, body=json.dumps(body), count=0)
    assert result.error.code == f"http_{status}"
    assert result.retry_hint is None


MCP = """
toolgen: 1
toolset: mcp.hotel
kind: mcp
server: {stdio: [unused]}
tools:
  book: {description: Book., args: {answer: {type: object}, nights: integer}, retry_hints: true}
  book_plain: {description: Book., args: {answer: {type: object}, nights: integer}}
"""
REPORT = {"issues": [{"path": ["nights"], "message": "too few"}]}
TEXT = {"type": "text", "text": json.dumps(REPORT)}


@pytest.mark.parametrize(
    ("answer", "has_hint"),
    [
        ({"content": [], "structuredContent": REPORT, "isError": True}, True),
        ({"content": [TEXT], "isError": True}, True),
        ({"content": [TEXT, TEXT], "isError": True}, False),
        ({"content": [{"type": "text", "text": "too few"}], "isError": True}, False),
    ],
    ids=["structured", "text", "texts", "prose"],
)
def test_goa_38_an_error_of_an_mcp_server_is_a_retry_hint_if_enabled(
    tmp_path: Path, answer: Any, has_hint: bool
) -> None:
    name = f"retry_hints_mcp_{tmp_path.name}"
    catalog = package_of(tmp_path, name, MCP)
    schema = catalog.definition("mcp.hotel.book").input_schema
    listed = [{"name": tool, "description": "Book.", "inputSchema": schema} for tool in ("book", "book_plain")]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": listed}))
    server = McpServer(stdio=(sys.executable, str(PROGRAM), str(tmp_path)), retries=0)
    runtime = Runtime(catalog, executors=[mcp_executor(catalog, "mcp.hotel", server=server)], permission=allow_all)
    payload = json.dumps({"answer": answer, "nights": 0})

    async def call() -> list[ToolResult[Any]]:
        requests = [ToolRequest(name=f"mcp.hotel.{tool}", payload=payload) for tool in ("book", "book_plain")]
        return [await asyncio.wait_for(runtime.invoke(request), 20) for request in requests]

    try:
        hinted, plain = asyncio.run(call())
    finally:
        sys.path.remove(str(tmp_path))
    assert plain.retry_hint is None
    assert plain.error is not None
    assert plain.error.code == "tool_error"
    assert (hinted.retry_hint is not None) is has_hint
    if hinted.retry_hint is not None:
        assert hinted.retry_hint.fields == ("/nights",)
        assert "- /nights: too few (found 0)" in text_of(hinted)
