"""Sending: credentials, retries, redirects, bounds and failures, with and without a socket."""

# ruff: noqa: E501  # tables with one row per line

from __future__ import annotations

import asyncio
import base64
import gc
import json
import socket
import subprocess
import sys
from email.utils import formatdate
from time import time
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from tests.unit.execute.http.api import TOOLSET, Recorder, error_of, import_text, invoke, package_of
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute import specified_executors
from toolgen.execute.http import HttpExecutor, HttpHost, http_executor
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: https://api.shop.example/v1
  headers: {X-Version: "2", X-Tenant: $env.TENANT}
  auth:
    key: {type: api_key, in: header, name: X-Key, value: $env.SHOP_KEY}
    query: {type: api_key, in: query, name: key, value: $env.SHOP_KEY}
    cookie: {type: api_key, in: cookie, name: session, value: $env.SHOP_KEY}
    user: {type: basic, username: $env.SHOP_USER, password: $env.SHOP_PASSWORD}
    token: {type: bearer, token: $env.SHOP_TOKEN}
    client: {type: oauth2, token_url: "https://login.shop.example/token", client_id: $env.CLIENT, client_secret: $env.SECRET,
      scopes: [read, write]}
    absent: {type: bearer, token: $env.NOT_SET}
  security: [[key]]
tools:
  get: {description: x, permission: readonly, args: {"id?": string}, http: {method: GET, path: /items, params: {id: query}}}
  put: {description: x, args: {n: integer}, http: {method: PUT, path: /items, body: {media_type: application/json}}}
  post: {description: x, args: {n: integer}, http: {method: POST, path: /items, body: {media_type: application/json}}}
  post_once: {description: x, args: {n: integer, "Idempotency-Key?": string}, http: {method: POST, path: /items,
    params: {Idempotency-Key: header}, body: {media_type: application/json}, idempotency_header: Idempotency-Key}}
  typed: {description: x, permission: readonly, args: {}, result: {type: object, properties: {n: {type: integer}}},
    http: {method: GET, path: /typed, errors: {"404": There is no such item., "4XX": The call is wrong.}}}
  text: {description: x, permission: readonly, args: {}, result: string, http: {method: GET, path: /text}}
  query: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[query]]}}
  cookie: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[cookie, user]]}}
  user: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[absent], [user]]}}
  token: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[token]]}}
  client: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[client]]}}
  public: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: []}}
  absent: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, security: [[absent]]}}
  elsewhere: {description: x, permission: readonly, args: {}, http: {method: GET, path: /, base_url: "https://other.example"}}
  page: {description: x, permission: readonly, args: {"start?": string},
    result: {type: object, properties: {items: {type: array, items: {type: integer}}, next: {type: [string, "null"]}}},
    bounded: {cursor: start, next: next}, http: {method: GET, path: /pages, params: {start: query}}}
"""
POLICY = """
toolgen: 1
policy: shop
network: {api.shop.example: allow, cdn.shop.example: allow, evil.example: deny}
"""
NUMBERS = iter(range(1000))
ENVIRONMENT = {
    "TENANT": "t1",
    "SHOP_KEY": "key-1234",
    "SHOP_USER": "anna",
    "SHOP_PASSWORD": "päss",
    "SHOP_TOKEN": "token-1234",
    "CLIENT": "the client",
    "SECRET": "secret-1234",
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("sending"), "compiled_sending", SPEC, POLICY)


def call(catalog: Catalog, tool: str, args: Any = None, **host: Any) -> Any:
    return invoke(catalog, tool, args, **{"environment": ENVIRONMENT, **host})


def headers_of(recorder: Recorder) -> dict[str, str]:
    return dict(recorder.last.headers)


def test_a_call_sends_the_same_request_with_and_without_a_socket(catalog: Catalog, server: Server) -> None:
    app = Recorder()

    over_socket = call(catalog, "post", {"n": 1}, base_url=f"{server.url}/v1")
    without = call(catalog, "post", {"n": 1}, app=app, base_url="http://app/v1")

    assert over_socket.value == without.value == {}
    for recorder in (server, app):
        assert (recorder.last.method, recorder.last.target, recorder.last.body) == ("POST", "/v1/items", b'{"n":1}')
        assert headers_of(recorder)["x-version"] == "2"
        assert headers_of(recorder)["x-tenant"] == "t1"
        assert headers_of(recorder)["x-key"] == "key-1234"


def test_the_base_url_comes_from_the_tool_or_the_api(catalog: Catalog) -> None:
    hosts: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        hosts.append(f"{dict(scope['headers'])[b'host'].decode()}{scope['path']}")
        await JSONResponse({})(scope, receive, send)

    registration = http_executor(catalog, TOOLSET, HttpHost(environment=ENVIRONMENT, app=app, base_url=" "))
    assert registration.toolset == TOOLSET
    call(catalog, "get", app=app)
    assert hosts == ["app/items"]


@pytest.mark.parametrize(
    ("second", "is_run"), [('base_url: "{url}/b", ', True), ("", False)], ids=["each has a URL", "one has none"]
)
def test_an_api_whose_tools_have_urls_of_their_own_runs_by_its_spec(
    tmp_path: Path, server: Server, second: str, is_run: bool
) -> None:
    spec = """\
toolgen: 1
toolset: shop.own
kind: http
description: An API.
tools:
  first: {description: x, permission: readonly, args: {}, http: {base_url: "{url}/a", method: GET, path: /items}}
  second: {description: x, permission: readonly, args: {}, http: {SECONDmethod: GET, path: /items}}
"""
    text = spec.replace("SECOND", second).replace("{url}", server.url)
    catalog = package_of(tmp_path, f"own_urls_{is_run}".lower(), text)
    executors = specified_executors(catalog)
    assert len(executors) == is_run
    if is_run:
        runtime = Runtime(catalog, executors=executors, permission=allow_all)
        assert asyncio.run(runtime.invoke(ToolRequest(name="shop.own.second", payload="{}"))).error is None
        assert server.last.target == "/b/items"


def basic(user: str, password: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def test_credentials_are_added_where_the_api_requires_them(catalog: Catalog) -> None:
    recorder = Recorder()

    call(catalog, "query", app=recorder)
    assert (recorder.last.query, "x-key" in headers_of(recorder)) == ("key=key-1234", False)
    call(catalog, "cookie", app=recorder)
    assert headers_of(recorder)["cookie"] == "session=key-1234"
    assert headers_of(recorder)["authorization"] == basic("anna", "päss")
    call(catalog, "token", app=recorder)
    assert headers_of(recorder)["authorization"] == "Bearer token-1234"
    call(catalog, "public", app=recorder)
    assert not {"authorization", "x-key", "cookie"} & headers_of(recorder).keys()


def test_the_first_alternative_with_set_variables_is_used(catalog: Catalog) -> None:
    recorder = Recorder()

    call(catalog, "user", app=recorder)
    assert headers_of(recorder)["authorization"] == basic("anna", "päss")

    error = error_of(call(catalog, "absent", app=recorder))
    assert (error.code, "NOT_SET" in error.message) == ("missing_credentials", True)
    assert len(recorder.requests) == 1


def test_credentials_of_the_host_replace_those_of_the_spec(catalog: Catalog) -> None:
    recorder = Recorder()

    async def headers() -> dict[str, str]:
        return {"Authorization": "Custom 1"}

    call(catalog, "absent", app=recorder, headers=headers, environment={"TENANT": "t"})
    assert headers_of(recorder)["authorization"] == "Custom 1"
    call(catalog, "get", app=recorder, auth=httpx2.BasicAuth("a", "b"), environment={"TENANT": "t"})
    assert headers_of(recorder)["authorization"] == basic("a", "b")
    assert "x-key" not in headers_of(recorder)


def test_missing_variables_are_an_error_at_the_start(catalog: Catalog) -> None:
    with pytest.raises(ExecutorError, match="SHOP_KEY"):
        http_executor(catalog, TOOLSET, HttpHost(environment={"TENANT": "t"}))
    with pytest.raises(ExecutorError, match="TENANT"):
        http_executor(catalog, TOOLSET, HttpHost(environment={"SHOP_KEY": "k"}))
    assert catalog.definition(f"{TOOLSET}.get").metadata["source"] == "declarative"
    with pytest.raises(ExecutorError, match="no toolset"):
        http_executor(catalog, "shop.other", HttpHost())


def tokens(*answers: Response) -> Recorder:
    return Recorder(answers=list(answers))


def test_an_oauth_client_uses_one_token_until_it_is_refused(catalog: Catalog) -> None:
    recorder = tokens(
        JSONResponse({"access_token": "t-one", "expires_in": 3600}),
        JSONResponse({"n": 1}),
        JSONResponse({"n": 2}),
        JSONResponse({}, 401),
        JSONResponse({"access_token": "t-two"}),
        JSONResponse({"n": 3}),
    )
    registration = http_executor(catalog, TOOLSET, HttpHost(environment=ENVIRONMENT, app=recorder))
    runtime = Runtime(catalog, permission=allow_all, executors=[registration])

    async def calls() -> list[Any]:
        request = ToolRequest(name=f"{TOOLSET}.client")
        return [(await runtime.invoke(request)).value for _ in range(3)]

    assert asyncio.run(calls()) == [{"n": 1}, {"n": 2}, {"n": 3}]
    token_request = recorder.requests[0]
    assert token_request.body == b"grant_type=client_credentials&scope=read+write"
    assert token_request.header("authorization") == basic("the+client", "secret-1234")
    used = [each.header("authorization") for each in recorder.requests]
    assert used == [
        used[0], "Bearer t-one", "Bearer t-one", "Bearer t-one", used[0], "Bearer t-two",
    ]  # fmt: skip


def test_the_error_of_a_refused_oauth_client_contains_no_secret(catalog: Catalog) -> None:
    error = error_of(call(catalog, "client", app=tokens(JSONResponse({"error": "invalid_client"}, 401))))
    assert (error.kind, error.code) == ("unavailable", "no_token")
    assert "invalid_client" in error.message


def json_answer(text: str, status: int = 200, **headers: str) -> Response:
    return Response(text, status, media_type="application/json", headers=headers)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (r'{"error": "\ud800"}', "\ufffd"),
        ('{"error": {"a": 1}}', "status 200"),
        (r'{"access_token": "t\r\nX-Evil: 1"}', "gave a token that no request has"),
        (r'{"access_token": "t-\ud800"}', "gave a token that no request has"),
        ('{"access_token": ""}', "gave a token that no request has"),
        (f'{{"error": "{"e" * 100_000}"}}', "eee"),
        ('{"access_token": "t", "expires_in": 1e400}', "status 200"),
    ],
)
def test_a_token_answer_that_cannot_be_used_is_a_refusal(catalog: Catalog, answer: str, said: str) -> None:
    error = error_of(call(catalog, "client", app=tokens(json_answer(answer))))
    assert (error.kind, error.code) == ("unavailable", "no_token")
    assert said in error.message
    assert len(error.message) < 300


@pytest.mark.parametrize("lifetime", ["9" * 400, "-" + "9" * 400, "-1", "0", "true", "null", '"3600"', "1e308", "[]"])
def test_a_token_is_used_whatever_its_lifetime(catalog: Catalog, lifetime: str) -> None:
    recorder = tokens(json_answer(f'{{"access_token": "t-one", "expires_in": {lifetime}}}'))
    assert call(catalog, "client", app=recorder).error is None
    assert recorder.last.header("authorization") == "Bearer t-one"


@pytest.mark.parametrize(
    ("status", "code", "kind", "retry_after"),
    [
        (400, "http_400", "domain_rejection", None),
        (409, "http_409", "domain_rejection", None),
        (429, "http_429", "rate_limited", 99.0),
        (500, "http_500", "unavailable", None),
    ],
)
@pytest.mark.parametrize("body", [r'{"message": "low \ud800", "\udc00": 1}', r'["low \udfff"]', r'"low \ud800"'])
def test_an_error_with_half_of_a_surrogate_pair_keeps_its_meaning(
    catalog: Catalog, status: int, code: str, kind: str, retry_after: float | None, body: str
) -> None:
    answers = [json_answer(body, status, **{"Retry-After": "99"}) for _ in range(3)]
    result = call(catalog, "post", {"n": 1}, app=Recorder(answers=answers))
    error = error_of(result)
    assert (error.code, error.kind, error.retry_after) == (code, kind, retry_after)
    assert error.message.endswith("low \ufffd")
    json.dumps([result.metadata, [block.data for block in result.blocks]], ensure_ascii=False).encode()


TRY_AGAIN = {"Retry-After": "0"}


@pytest.mark.parametrize(
    ("tool", "status", "sent"),
    [
        ("get", 503, 3),
        ("get", 429, 3),
        ("get", 500, 1),
        ("get", 404, 1),
        ("put", 502, 3),
        ("post", 503, 1),
        ("post", 429, 3),
        ("post_once", 503, 3),
    ],
)
def test_requests_are_retried_if_that_is_safe(catalog: Catalog, tool: str, status: int, sent: int) -> None:
    recorder = Recorder(answers=[JSONResponse({}, status, headers=TRY_AGAIN) for _ in range(5)])

    error = error_of(call(catalog, tool, {} if tool == "get" else {"n": 1}, app=recorder))

    assert error.code == f"http_{status}"
    assert len(recorder.requests) == sent
    assert len({each.body for each in recorder.requests}) == 1


def test_retries_share_an_idempotency_key_and_calls_do_not(catalog: Catalog) -> None:
    recorder = Recorder(answers=[JSONResponse({}, 503, headers=TRY_AGAIN)])
    assert call(catalog, "post_once", {"n": 1}, app=recorder).error is None
    call(catalog, "post_once", {"n": 1}, app=recorder)
    call(catalog, "post_once", {"n": 1, "Idempotency-Key": "mine"}, app=recorder)

    first, again, other, given = [each.header("idempotency-key") for each in recorder.requests]
    assert first == again
    assert len({first, other, given}) == 3
    assert given == "mine"


def test_the_fencing_token_is_sent_beside_the_idempotency_key(catalog: Catalog) -> None:
    recorder = Recorder()
    meta = ToolCallMeta(run_id="r", idempotency_key="r:c1", fencing_token=7)
    for tool in ("post_once", "get"):
        assert call(catalog, tool, {"n": 1} if tool == "post_once" else None, app=recorder, meta=meta).error is None
    call(catalog, "post_once", {"n": 1}, app=recorder)

    sent = [(each.header("idempotency-key"), each.header("fencing-token")) for each in recorder.requests]
    assert sent[:2] == [("r:c1", "7"), (None, None)]
    assert sent[2][1] is None


def test_a_long_retry_after_is_returned_to_the_caller(catalog: Catalog) -> None:
    recorder = Recorder(answers=[JSONResponse({}, 429, headers={"Retry-After": "3600"})])
    error = error_of(call(catalog, "get", app=recorder))
    assert (error.kind, error.retry_after, len(recorder.requests)) == ("rate_limited", 3600.0, 1)

    date = formatdate(time() + 600, usegmt=True)
    recorder = Recorder(answers=[JSONResponse({}, 429, headers={"Retry-After": date})])
    error = error_of(call(catalog, "get", app=recorder))
    assert error.retry_after is not None
    assert 500 < error.retry_after <= 600


def test_an_unreachable_server_is_a_failure_without_effects(catalog: Catalog) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    error = error_of(call(catalog, "post", {"n": 1}, base_url=f"http://127.0.0.1:{port}"))
    assert (error.kind, error.code, error.hint) == ("unavailable", "host_unreachable", "")
    assert error.message.startswith(f"cannot connect to http://127.0.0.1:{port}/")


def test_a_server_that_does_not_answer_is_a_timeout(catalog: Catalog) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        error = error_of(call(catalog, "post", {"n": 1}, base_url=url, timeout=0.2))
    assert (error.kind, error.code) == ("timeout", "no_response")
    assert "may have taken effect" in error.hint


def test_an_application_that_fails_is_a_server_error(catalog: Catalog) -> None:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        raise RuntimeError("secret detail")

    error = error_of(call(catalog, "get", app=app))
    assert (error.kind, error.code) == ("unavailable", "http_500")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "domain_rejection"),
        (401, "domain_rejection"),
        (403, "domain_rejection"),
        (407, "domain_rejection"),
        (404, "domain_rejection"),
        (408, "timeout"),
        (409, "domain_rejection"),
        (422, "domain_rejection"),
        (429, "rate_limited"),
        (500, "unavailable"),
        (503, "unavailable"),
        (504, "timeout"),
    ],
)
def test_statuses_map_to_failure_kinds(catalog: Catalog, status: int, kind: str) -> None:
    answer = JSONResponse({"error": {"message": "It is so."}, "code": 7}, status)
    result = call(catalog, "post", {"n": 1}, app=Recorder(answers=[answer] * 3))

    error = error_of(result)
    assert (error.kind, error.code) == (kind, f"http_{status}")
    assert error.message.endswith(": It is so.")
    assert result.metadata["http"] == {"status": status, "body": {"error": {"message": "It is so."}, "code": 7}}
    assert result.blocks[-1].data == {"error": {"message": "It is so."}, "code": 7}


def test_errors_have_the_meaning_given_in_the_spec(catalog: Catalog) -> None:
    for status, hint in ((404, "There is no such item."), (409, "The call is wrong."), (500, "")):
        error = error_of(call(catalog, "typed", app=Recorder(answers=[PlainTextResponse("no", status)])))
        assert (error.hint, error.message[-4:]) == (hint, ": no")


def test_no_credential_is_in_an_error(catalog: Catalog) -> None:
    answer = JSONResponse({"detail": "the key key-1234 is unknown"}, 403)
    result = call(catalog, "get", app=Recorder(answers=[answer]))
    assert "key-1234" not in str(result)
    assert "[redacted]" in error_of(result).message


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (Response(status_code=204), None),
        (PlainTextResponse("plain"), "plain"),
        (PlainTextResponse("1.5"), "1.5"),
        (JSONResponse([1, {"a": None}]), [1, {"a": None}]),
        (Response(b'{"a":1}', media_type="application/problem+json"), {"a": 1}),
        (Response("é".encode("latin-1"), media_type="text/plain; charset=latin-1"), "é"),
        (Response(b"\xff", media_type="text/plain; charset=unknown"), "\ufffd"),
        (Response(b"{broken", media_type="application/json"), "{broken"),
    ],
)
def test_values_of_responses(catalog: Catalog, answer: Response, value: Any) -> None:
    assert call(catalog, "get", app=Recorder(answers=[answer])).value == value


def test_a_typed_result_is_read_from_json_of_any_media_type_and_checked(catalog: Catalog) -> None:
    result = call(catalog, "typed", app=Recorder(answers=[PlainTextResponse('{"n": 3}')]))
    assert result.value is not None
    assert result.value.n == 3
    error = error_of(call(catalog, "typed", app=Recorder(answers=[JSONResponse({"n": "x"})])))
    assert error.kind == "malformed_result"


def test_a_page_reports_its_bounds(catalog: Catalog) -> None:
    recorder = Recorder(
        answers=[JSONResponse({"items": [1, 2], "next": "c2"}), JSONResponse({"items": [3], "next": None})]
    )
    first, last = call(catalog, "page", app=recorder), call(catalog, "page", {"start": "c2"}, app=recorder)
    assert (first.bounds.next_cursor, first.bounds.truncated, first.bounds.returned) == ("c2", True, 2)
    assert (last.bounds.truncated, recorder.last.query) == (False, "start=c2")


def test_binary_content_becomes_an_artifact_and_is_described_without_a_store(catalog: Catalog) -> None:
    kept: list[tuple[bytes, str]] = []

    async def keep(data: bytes, media_type: str) -> str:
        kept.append((data, media_type))
        return "sha256:1"

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield b"\x00" * 100_000

    def image() -> Recorder:
        return Recorder(answers=[StreamingResponse(chunks(), media_type="image/png")])

    described = {"media_type": "image/png", "size": 400_000}
    result = call(catalog, "get", app=image(), keep=keep, response_bytes=1000)
    assert result.value == {**described, "artifact": "sha256:1"}
    assert result.blocks[-1].type == "artifact_ref"
    assert kept == [(b"\x00" * 400_000, "image/png")]
    assert call(catalog, "get", app=image()).value == {**described, "artifact": None}
    error = error_of(call(catalog, "get", app=image(), keep=keep, artifact_bytes=1000))
    assert error.code == "response_too_large"


def test_a_response_is_read_only_up_to_its_bound(catalog: Catalog) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while read < 10_000_000:
            read += 1000
            yield b"x" * 1000

    recorder = Recorder(answers=[StreamingResponse(endless(), media_type="text/plain")])
    error = error_of(call(catalog, "get", app=recorder, response_bytes=5000))
    assert (error.kind, error.code) == ("malformed_result", "response_too_large")


def test_cookies_of_a_response_are_not_sent_with_the_next_call(catalog: Catalog) -> None:
    recorder = Recorder(answers=[JSONResponse({}, headers={"Set-Cookie": "user=anna; Path=/"})])
    registration = http_executor(catalog, TOOLSET, HttpHost(environment=ENVIRONMENT, app=recorder))
    runtime = Runtime(catalog, permission=allow_all, executors=[registration])

    async def calls() -> None:
        for _ in range(2):
            await runtime.invoke(ToolRequest(name=f"{TOOLSET}.get"))

    asyncio.run(calls())
    assert [each.header("cookie") for each in recorder.requests] == [None, None]


def redirect(url: str, status: int) -> Recorder:
    return Recorder(answers=[RedirectResponse(url, status)])


@pytest.mark.parametrize(
    ("status", "method", "body"), [(302, "GET", b""), (303, "GET", b""), (307, "POST", b'{"n":1}')]
)
def test_redirects_within_the_host_are_followed(catalog: Catalog, status: int, method: str, body: bytes) -> None:
    recorder = redirect("/moved?x=1", status)
    assert call(catalog, "post", {"n": 1}, app=recorder).error is None
    assert (recorder.last.method, recorder.last.target, recorder.last.body) == (method, "/moved?x=1", body)
    assert headers_of(recorder)["x-key"] == "key-1234"


@pytest.mark.parametrize("url", ["http://evil.example/", "http://cdn.shop.example/a", "//other.example/a"])
def test_redirects_to_other_hosts_are_refused(catalog: Catalog, url: str) -> None:
    recorder = redirect(url, 302)
    error = error_of(call(catalog, "get", app=recorder, disabled=["shop"]))
    assert (error.kind, error.code, len(recorder.requests)) == ("permission_denied", "redirect_refused", 1)


def test_redirects_follow_the_network_policy_without_credentials(catalog: Catalog) -> None:
    for auth in (None, httpx2.BasicAuth("a", "b")):
        recorder = redirect("http://cdn.shop.example/file", 302)
        assert call(catalog, "get", app=recorder, auth=auth).error is None
        assert headers_of(recorder)["host"] == "cdn.shop.example"
        assert not {"x-key", "x-tenant", "authorization"} & headers_of(recorder).keys()
        assert (recorder.requests[0].header("authorization") is None) == (auth is None)

    for url, status, tool in (("http://evil.example/", 302, "get"), ("http://cdn.shop.example/", 307, "put")):
        recorder = redirect(url, status)
        args = {} if tool == "get" else {"n": 1}
        error = error_of(call(catalog, tool, args, app=recorder))
        assert (error.code, len(recorder.requests)) == ("redirect_refused", 1)


@pytest.mark.parametrize("user", ["u:pw@", "u@", ":pw@", "@", "%40:x@"])
@pytest.mark.parametrize("tool", ["token", "user", "get"])
def test_user_info_of_a_redirect_replaces_no_credentials(catalog: Catalog, tool: str, user: str) -> None:
    recorder = redirect(f"https://{user}api.shop.example/moved", 302)
    assert call(catalog, tool, app=recorder, base_url="https://api.shop.example").error is None
    before, after = recorder.requests
    assert after.path == "/moved"
    assert before.header("authorization") == after.header("authorization")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://cdn.shop.example/x", "ftp://cdn.shop.example, which is not HTTP"),
        ("ftp://api.shop.example/x", "which is not HTTP"),
        ("javascript:1", "which is not HTTP"),
        ("http://cdn.shop.example/x", "and no request goes on from HTTPS without it"),
        ("http://api.shop.example/x", "and no request goes on from HTTPS without it"),
        ("https://other.example/x", "which no policy allows"),
    ],
)
def test_a_refused_redirect_says_what_is_wrong_with_it(catalog: Catalog, url: str, reason: str) -> None:
    recorder = redirect(url, 302)
    error = error_of(call(catalog, "get", app=recorder, base_url="https://api.shop.example"))
    assert error.code == "redirect_refused"
    assert error.message.endswith(reason)


SPELLED = [
    *("2130706433", "0x7f000001", "127.1", "127.0.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    *("[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "0", "a@127.0.0.1", "127%2e0.0.1", "127.0.0.1"),
]
"""Hosts of URLs by which a client reaches 127.0.0.1, or may."""

HERE = 'toolgen: 1\npolicy: here\nnetwork: {"*": allow, "127.0.0.1": deny, xn--bcher-kva.example: deny}\n'


@pytest.fixture(scope="module")
def not_here(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("spelled"), "spelled_hosts", SPEC, HERE)


@pytest.mark.parametrize("host", [*SPELLED, "bücher.example"])
def test_a_denied_host_is_not_reached_by_another_spelling(not_here: Catalog, host: str) -> None:
    recorder = redirect(f"http://{host}:8080/latest", 302)
    error = error_of(call(not_here, "get", app=recorder, base_url="http://api.shop.example"))
    assert (error.kind, error.code, len(recorder.requests)) == ("permission_denied", "redirect_refused", 1)

    recorder = Recorder()
    error = error_of(call(not_here, "get", app=recorder, base_url=f"http://{host}:8080"))
    assert (error.kind, recorder.requests) == ("permission_denied", [])

    recorder = tokens(PlainTextResponse("ok"))
    registration = http_executor(not_here, TOOLSET, HttpHost(environment=ENVIRONMENT, app=recorder))
    assert isinstance(registration.executor, HttpExecutor)
    credentials = registration.executor._credentials
    credentials.auth = {**credentials.auth, "client": {**credentials.auth["client"], "token_url": f"http://{host}/"}}
    runtime = Runtime(not_here, permission=allow_all, executors=[registration])
    error = error_of(asyncio.run(runtime.invoke(ToolRequest(name=f"{TOOLSET}.client"))))
    assert (error.kind, error.code, recorder.requests) == ("permission_denied", "host_denied", [])


def test_a_loop_of_redirects_ends(catalog: Catalog) -> None:
    recorder = Recorder(answers=[RedirectResponse("/again", 302) for _ in range(30)])
    assert error_of(call(catalog, "get", app=recorder)).code == "too_many_redirects"


def test_a_host_that_a_policy_denies_is_never_reached(catalog: Catalog) -> None:
    recorder = Recorder()
    error = error_of(call(catalog, "get", app=recorder, base_url="http://evil.example"))
    assert (error.kind, error.code, recorder.requests) == ("permission_denied", "permission_denied", [])


def test_no_token_is_fetched_from_a_host_that_a_policy_denies(tmp_path: Path) -> None:
    denied = POLICY.replace("evil.example", "login.shop.example")
    recorder = tokens(PlainTextResponse("ok"))
    error = error_of(call(package_of(tmp_path, "sending_tokens", SPEC, denied), "client", app=recorder))
    assert (error.kind, error.code, recorder.requests) == ("permission_denied", "permission_denied", [])


@pytest.mark.parametrize(
    ("network", "code", "asked"),
    [
        ('"127.0.0.1": deny, "*": allow', "permission_denied", []),
        ('api.shop.example: allow, other.example: allow, "*": deny', "permission_denied", []),
        ('api.shop.example: deny, other.example: deny, "127.0.0.1": allow', "ok", []),
        ('api.shop.example: allow, other.example: allow, "*": ask', "ok", [("127.0.0.1",)]),
    ],
)
@pytest.mark.parametrize("tool", ["get", "elsewhere"])
def test_reg_75_policies_judge_the_host_of_the_base_url_that_a_host_passes(
    tmp_path: Path, server: Server, network: str, code: str, asked: list[Any], tool: str
) -> None:
    policy = f"toolgen: 1\npolicy: shop\nnetwork: {{{network}}}\n"
    catalog = package_of(tmp_path, f"based_{next(NUMBERS)}", SPEC, policy)
    questions: list[tuple[str, ...]] = []

    def permission(request: Any) -> Any:
        questions.append(request.hosts)
        return allow_all(request)

    result = call(catalog, tool, base_url=server.url, permission=permission)

    assert (result.error.code if result.error else "ok", questions) == (code, asked)
    assert len(server.requests) == (code == "ok")
    own = http_executor(catalog, TOOLSET, HttpHost(environment=ENVIRONMENT, base_url=server.url))
    offered = Runtime(catalog, executors=[own], permission=allow_all).start_run().effective.offered
    assert (f"{TOOLSET}.{tool}" in offered) is (code == "ok")


def test_the_network_policy_decides_over_the_host_of_the_spec(catalog: Catalog) -> None:
    asked: list[tuple[str, ...]] = []

    def permission(request: Any) -> Any:
        asked.append(request.hosts)
        return allow_all(request)

    recorder = Recorder()
    host = HttpHost(environment=ENVIRONMENT, app=recorder)
    for disabled in ([], ["shop"]):
        runtime = Runtime(
            catalog,
            permission=permission,
            disabled_policies=disabled,
            executors=[http_executor(catalog, TOOLSET, host)],
        )
        for tool in ("get", "elsewhere"):
            asyncio.run(runtime.invoke(ToolRequest(name=f"{TOOLSET}.{tool}", payload=json.dumps({}))))
    # The policy allows the API's host; other hosts need permission, as do all without a policy.
    assert asked == [("other.example",), ("api.shop.example",), ("other.example",)]


def test_without_the_client_library_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx2'] = None; import toolgen.runtime; import toolgen.execute.http"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert 'pip install "toolgen[http]"' in done.stderr.splitlines()[-1]
    code = "import sys, toolgen.runtime, toolgen.execute; assert 'httpx2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_query_of_a_path_is_sent_with_each_request_and_its_fragment_never(tmp_path: Path, server: Server) -> None:
    ok = {"responses": {"200": {"description": "ok"}}}
    limit = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
    paths = {
        "/items?kind=new é&raw=%2F#list": {"get": {"operationId": "list", "parameters": [limit], **ok}},
        "/items#drop": {"delete": {"operationId": "drop", **ok}},
    }
    text, messages = import_text(
        json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths})
    )
    assert messages == []
    assert text is not None
    catalog = package_of(tmp_path, "compiled_queries", text)

    assert invoke(catalog, "list", {"limit": 3}, base_url=server.url).error is None
    assert invoke(catalog, "drop", base_url=server.url).error is None

    assert [each.target for each in server.requests] == ["/items?kind=new%20%C3%A9&raw=%2F&limit=3", "/items"]


@pytest.mark.parametrize("tool", ["get", "query", "cookie", "user", "token", "client"])
@pytest.mark.parametrize(
    "encode", [str, lambda text: base64.b64encode(f"<{text}>".encode()).decode()], ids=["plain", "base64"]
)
def test_credentials_that_an_api_repeats_reach_nobody(catalog: Catalog, tool: str, encode: Any) -> None:
    secrets = ["key-1234", "päss", "token-1234", "secret-1234", "access-5678"]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].endswith("/token"):
            await JSONResponse({"access_token": "access-5678"})(scope, receive, send)
            return
        said = {"you": [encode(f"{name.decode()}: {value.decode()}") for name, value in scope["headers"]]}
        said["query"] = [encode(scope["query_string"].decode())]
        said["all"] = [encode(each) for each in secrets if each in str(said) or each != "päss"]
        status = 200 if scope["headers"] else 500
        await JSONResponse(said, status)(scope, receive, send)

    result = call(catalog, tool, app=app, base_url="http://app")
    shown = f"{result} {result.payload.decode()}"
    assert "[redacted]" in shown
    own = {"get": "key-1234", "query": "key-1234", "cookie": "key-1234", "token": "token-1234", "client": "access-5678"}
    if tool in own:
        assert encode(own[tool]) not in shown
        assert own[tool] not in shown


@pytest.mark.parametrize("status", [200, 400])
def test_a_credential_that_an_api_repeats_as_a_number_reaches_nobody(catalog: Catalog, status: int) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await JSONResponse({"message": "no", "echo": [1234567890123], "n": 12}, status)(scope, receive, send)

    result = call(
        catalog, "get", app=app, base_url="http://app", environment={**ENVIRONMENT, "SHOP_KEY": "1234567890123"}
    )
    shown = f"{result} {result.payload.decode()}"
    assert "1234567890123" not in shown
    assert "[redacted]" in shown


def test_binary_content_is_kept_as_it_came_and_nothing_of_it_is_shown(catalog: Catalog) -> None:
    content = b"\x89PNG\r\n key-1234 \x00\xff"
    kept: list[bytes] = []

    def keep(data: bytes, _media_type: str) -> str:
        kept.append(data)
        return "artifact-1"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await Response(content, media_type="image/png")(scope, receive, send)

    result = call(catalog, "get", app=app, base_url="http://app", keep=keep)
    assert kept == [content]
    assert result.value == {"media_type": "image/png", "size": len(content), "artifact": "artifact-1"}
    assert "key-1234" not in f"{result} {result.payload.decode()}"


def test_the_state_of_an_api_says_whether_each_operation_has_credentials(catalog: Catalog) -> None:
    def state(environment: dict[str, str], **host: Any) -> tuple[str, str]:
        executor = http_executor(catalog, "shop.api", HttpHost(environment=environment, **host)).executor
        assert isinstance(executor, HttpExecutor)
        found = executor.state()
        assert not any(value in repr(found) for value in environment.values())
        return found.connection, found.login

    async def headers() -> dict[str, str]:
        raise AssertionError

    assert state({**ENVIRONMENT, "NOT_SET": "set-12345"}) == ("", "given")
    assert state(ENVIRONMENT) == ("", "needed")  # for one of them, which no call of the others shows
    assert state({"TENANT": "t1"}, headers=headers) == ("", "given")


def test_a_program_with_a_loop_for_each_call_keeps_one_client(catalog: Catalog, server: Server) -> None:
    """Connections refer to their loop, so they would stay with it after it is closed."""
    registration = http_executor(catalog, TOOLSET, HttpHost(environment=ENVIRONMENT, base_url=server.url))
    runtime = Runtime(catalog, permission=allow_all, executors=[registration])

    def clients() -> int:
        gc.collect()
        return sum(isinstance(each, httpx2.AsyncClient) for each in gc.get_objects())

    before = clients()
    for _ in range(3):
        assert asyncio.run(runtime.invoke(ToolRequest(name=f"{TOOLSET}.get", payload="{}"))).error is None
    assert clients() == before + 1
    del runtime, registration
    assert clients() == before
