"""A credential of an API is the only one in its request: no arg sends another under its name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved
from tests.unit.execute.http.api import Recorder, error_of, invoke, package_of
from toolgen.execute.http.credentials import Credentials
from toolgen.execute.http.requests import Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime import Catalog

AUTH = """
    header: {type: api_key, in: header, name: X-API-Key, value: $env.KEY}
    query: {type: api_key, in: query, name: key, value: $env.KEY}
    cookie: {type: api_key, in: cookie, name: session, value: $env.KEY}
    user: {type: basic, username: $env.KEY, password: $env.KEY}
"""
OBJECT = "{type: object, additionalProperties: {type: string}}"
SPEC = f"""
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: https://api.shop.example
  headers: {{X-Version: "1", X-Tenant: $env.TENANT}}
  auth: {AUTH}
tools:
  query: {{description: x, permission: readonly, args: {{f: {OBJECT}}},
    http: {{method: GET, path: /, params: {{f: query}}, security: [[query]]}}}}
  open_query: {{description: x, permission: readonly, args: {{f: string}},
    http: {{method: GET, path: /, params: {{f: {{in: query, allow_reserved: true}}}}, security: [[query]]}}}}
  whole_query: {{description: x, permission: readonly, args: {{f: string}},
    http: {{method: GET, path: /, params: {{f: {{in: querystring, content: application/x-www-form-urlencoded}}}},
      security: [[query]]}}}}
  cookie: {{description: x, permission: readonly, args: {{f: {OBJECT}}},
    http: {{method: GET, path: /, params: {{f: cookie}}, security: [[cookie]]}}}}
  plain_cookie: {{description: x, permission: readonly, args: {{f: {OBJECT}}},
    http: {{method: GET, path: /, params: {{f: {{in: cookie, style: cookie}}}}, security: [[cookie]]}}}}
  either: {{description: x, permission: readonly, args: {{f: {OBJECT}}},
    http: {{method: GET, path: /, params: {{f: query}}, security: [[header], [query]]}}}}
  public: {{description: x, permission: readonly, args: {{f: {OBJECT}, "X-API-Key?": string, "Authorization?": string}},
    http: {{method: GET, path: /, params: {{f: query, X-API-Key: header, Authorization: header}}, security: []}}}}
"""
ENVIRONMENT = {"KEY": "real-1234", "TENANT": "real-tenant"}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(tmp_path_factory.mktemp("credentials"), "compiled_credentials", SPEC)


async def no_token(url: str, form: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
    raise AssertionError(url)


def call(catalog: Catalog, tool: str, f: Any, **host: Any) -> Any:
    return invoke(catalog, tool, {"f": f}, environment=ENVIRONMENT, **host)


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("query", {"key": "x"}),
        ("query", {"a": "b", "KEY": "x"}),
        ("query", {" key": "x"}),
        ("query", {"key[]": "x"}),
        ("open_query", "1;key=x"),
        ("whole_query", "a=b&key=x"),
        ("whole_query", "k%65y=x"),
        ("cookie", {"session": "x"}),
        ("plain_cookie", {"Session": "x"}),
        ("either", {"key": "x"}),
    ],
)
def test_an_arg_that_names_a_credential_is_refused(catalog: Catalog, tool: str, value: Any) -> None:
    recorder = Recorder()
    error = error_of(call(catalog, tool, value, app=recorder))
    assert (error.kind, error.code, recorder.requests) == ("invalid_call", "credential_in_args", [])


def test_a_request_without_credentials_may_have_any_field(catalog: Catalog) -> None:
    recorder = Recorder()
    assert call(catalog, "public", {"key": "x"}, app=recorder).error is None
    assert recorder.last.fields == [("key", "x")]


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.dictionaries(st.text("kKeEyY =&;%+[].65", max_size=6) | st.just("key"), st.text("a&=;", max_size=4), max_size=3)
)
def test_no_object_adds_a_field_with_the_name_of_a_credential(catalog: Catalog, fields: dict[str, str]) -> None:
    recorder = Recorder()
    result = call(catalog, "query", fields, app=recorder)
    if result.error is not None:
        assert result.error.code == "credential_in_args"
        return
    sent = parse_qsl(recorder.last.query, keep_blank_values=True)
    assert [value for name, value in sent if name.strip().lower() == "key"] == ["real-1234"]


@pytest.mark.parametrize("security", [["header"], ["cookie"], ["user"], ["header", "cookie", "user"]])
@pytest.mark.parametrize("write", [str, str.lower, str.upper])
def test_a_credential_replaces_a_header_of_its_name_in_any_case(security: list[str], write: Any) -> None:
    auth = {
        "header": {"type": "api_key", "in": "header", "name": "X-API-Key", "value": "$env.KEY"},
        "cookie": {"type": "api_key", "in": "cookie", "name": "session", "value": "$env.KEY"},
        "user": {"type": "bearer", "token": "$env.KEY"},
    }
    credentials = Credentials(auth, None, ENVIRONMENT, {"X-Tenant": "$env.TENANT", "X-Version": "1"})
    names = ("X-API-Key", "Authorization", "Cookie", "X-Tenant", "X-Version")
    request = Request(method="GET", path="/", headers={write(name): "evil" for name in names})

    credentials.admit(request, [security])
    asyncio.run(credentials.apply(request, [security], no_token))

    used = {"header": "x-api-key", "cookie": "cookie", "user": "authorization"}
    left = {name.lower() for name, text in request.headers.items() if text == "evil"}
    assert left == {each.lower() for each in names} - {"x-tenant"} - {used[each] for each in security}
    assert len({name.lower() for name in request.headers}) == len(request.headers)


def test_headers_of_the_host_replace_those_of_args_in_any_case(catalog: Catalog) -> None:
    async def headers() -> dict[str, str]:
        return {"x-api-key": "of the host", "AUTHORIZATION": "of the host"}

    args = {"f": {}, "X-API-Key": "evil", "Authorization": "evil"}
    hosts: list[dict[str, Any]] = [{"headers": headers}, {"auth": httpx2.BasicAuth("a", "b"), "headers": headers}]
    for host in hosts:
        recorder = Recorder()
        assert invoke(catalog, "public", args, environment=ENVIRONMENT, app=recorder, **host).error is None
        assert "evil" not in dict(recorder.last.headers).values()
        names = [name for name, _ in recorder.last.headers]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("arg", "place", "security", "is_refused"),
    [
        ("x-api-key", "header", "[[header]]", True),
        ("X-API-KEY", "header", "[[query], [header]]", True),
        ("x-api-key", "query", "[[header]]", False),
        ("x-api-key", "header", "[[query]]", False),
        ("x-api-key", "header", "[]", False),
        ("authorization", "header", "[[user]]", True),
        ("Key", "query", "[[query]]", True),
        ("key[]", "query", "[[query]]", True),
        ("Session", "cookie", "[[cookie]]", True),
        ("cookie", "header", "[[cookie]]", True),
        ("x-tenant", "header", "[]", True),
        ("x-version", "header", "[]", False),
    ],
)
def test_a_build_refuses_a_param_with_the_name_of_a_credential(
    arg: str, place: str, security: str, is_refused: bool
) -> None:
    head = SPEC.partition("tools:")[0]
    tool = f'http: {{method: GET, path: /, params: {{"{arg}": {place}}}, security: {security}}}'
    args = f'{{"{arg}": string}}'
    found = resolved(f"{head}tools:\n  t: {{description: x, permission: readonly, args: {args}, {tool}}}\n")
    said = f"`{arg}` in `{place}` is a credential or a header of the host, which no arg sets"
    assert any(said in each for each in found.messages) is is_refused
    assert found.has_errors is is_refused


def test_a_build_refuses_a_fixed_query_with_the_name_of_a_credential() -> None:
    head = SPEC.partition("tools:")[0]
    tool = "{description: x, permission: readonly, args: {}, http: {method: GET, path: /?KEY=1, security: [[query]]}}"
    found = resolved(f"{head}tools: {{t: {tool}}}\n")
    assert any("has `KEY`, which is a credential" in each for each in found.messages)
