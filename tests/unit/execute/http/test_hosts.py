"""The hosts of a call: the API and the token endpoint of its credentials, which policies judge at every door."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from starlette.responses import JSONResponse, RedirectResponse, Response

from tests.unit.cli.command_line import toolgen
from tests.unit.execute.http.api import TOOLSET, error_of, invoke, package_of
from toolgen.adapters import langchain
from toolgen.adapters.bridge import Bridge
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.runtime import Runtime
from toolgen.runtime.policy.permission import Decision, PermissionRequest, deny_all
from toolgen.runtime.redact.redact import redact_text
from toolgen.serve import mcp_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execute.http.conftest import Server
    from toolgen.runtime import Catalog

NAMES = iter(range(1000))
API, TOKENS = "127.0.0.1", "localhost"
SECRETS = {"CLIENT": "the-client", "SECRET": "secret-1234"}
SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: "{url}/v1"
  auth:
    client: {{type: oauth2, token_url: "{token_url}", client_id: $env.CLIENT, client_secret: $env.SECRET}}
    key: {{type: api_key, in: header, name: X-Key, value: $env.KEY}}
  security: [[client]]
  retries: 0
tools:
  me: {{description: x, permission: readonly, args: {{}}, http: {{method: GET, path: /me}}}}
  make: {{description: x, args: {{}}, http: {{method: POST, path: /me}}}}
  key: {{description: x, permission: readonly, args: {{}},
    http: {{method: GET, path: /me, security: [[key], [client]]}}}}
  open: {{description: x, permission: readonly, args: {{}}, http: {{method: GET, path: /me, security: []}}}}
"""


def spec(server: Server, token_url: str = "") -> str:
    elsewhere = f"{server.url.replace(API, TOKENS)}/token?tenant=hidden"
    return SPEC.format(url=server.url, token_url=token_url or elsewhere)


def policy(network: str) -> str:
    return f"toolgen: 1\npolicy: p\nnetwork: {{{network}}}\n"


def compiled(folder: Path, text: str, network: str = '"*": allow') -> Catalog:
    return package_of(folder, f"token_hosts_{next(NAMES)}", text, policy(network))


def token() -> Response:
    return JSONResponse({"access_token": "t-one"})


def received(server: Server) -> list[tuple[str | None, str]]:
    """Return the host, without its port, and the path of each request."""
    return [((each.header("host") or "").partition(":")[0], each.path) for each in server.requests]


BOTH = [(TOKENS, "/token"), (API, "/v1/me")]


@pytest.mark.parametrize(
    ("network", "asked", "sent"),
    [
        (f'"{API}": allow, {TOKENS}: allow', [], BOTH),
        (f'"{API}": allow, {TOKENS}: ask', [(API, TOKENS)], BOTH),
        (f'"{API}": ask, {TOKENS}: allow', [(API, TOKENS)], BOTH),
        (f'"{API}": allow, {TOKENS}: deny', [], []),
        (f'"{API}": allow, "*": deny', [], []),
    ],
)
def test_reg_75_policies_judge_the_host_of_the_token_endpoint(
    tmp_path: Path, server: Server, network: str, asked: list[Any], sent: list[Any]
) -> None:
    catalog, questions = compiled(tmp_path, spec(server), network), list[tuple[str, ...]]()
    server.answers[:] = [token()]

    def permission(request: PermissionRequest) -> Decision:
        questions.append(request.hosts)
        return Decision.ALLOW_ONCE

    result = invoke(catalog, "me", environment=SECRETS, permission=permission)

    assert (questions, received(server)) == (asked, sent)
    assert (result.error is None) is bool(sent)


def test_reg_75_nothing_is_sent_to_a_token_endpoint_that_nobody_allows_by_any_door(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = f'"{API}": allow, {TOKENS}: ask'
    catalog = compiled(tmp_path, spec(server), network)
    runtime = Runtime(
        catalog, executors=[http_executor(catalog, TOOLSET, HttpHost(environment=SECRETS))], permission=deny_all
    )
    run = runtime.start_run()
    name = f"{TOOLSET.replace('.', '__')}__me"

    async def doors() -> None:
        request = ToolRequest(name=f"{TOOLSET}.me", payload="{}", tool_call_id="c")
        for result in (await runtime.invoke(request), *await runtime.turn([request], run)):
            assert error_of(result).code == "permission_denied"
        question = await runtime.permission_request(request, run)
        assert question is not None
        assert question.hosts == (API, TOKENS)
        bridge: Bridge[None] = Bridge(runtime, run)
        await bridge.make(await bridge.read(name, "{}", "c", None))
        (tool,) = [each for each in langchain.tools(runtime, run) if each.name == name]
        await tool.ainvoke({"name": name, "args": {}, "id": "c", "type": "tool_call"})
        async with Client(mcp_server(runtime, run).protocol, cache=None) as client:
            with suppress(MCPError):
                await client.call_tool(name, {})

    asyncio.run(doors())
    for variable, value in SECRETS.items():
        monkeypatch.setenv(variable, value)
    project = tmp_path / "project"
    (project / "specs").mkdir(parents=True)
    (project / "specs" / "shop.yaml").write_text(spec(server))
    (project / "specs" / "p.policy.yaml").write_text(policy(network))
    assert toolgen(project, "build").code == 0
    called = toolgen(project, "call", f"{TOOLSET}.me", "{}", "--trust-specs")
    assert (called.code, "permission" in called.err) == (1, True), called
    assert server.requests == []
    assert f"{API}, {TOKENS}" in toolgen(project, "show", f"{TOOLSET}.me").out

    server.answers[:] = [token()]
    assert toolgen(project, "call", f"{TOOLSET}.me", "{}", "--trust-specs", "--yes").code == 0
    assert received(server) == BOTH
    (project / "specs" / "p.policy.yaml").write_text(policy(network.replace("ask", "deny")))
    assert toolgen(project, "build").code == 0
    explained = toolgen(project, "policy", "explain", f"{TOOLSET}.me")
    assert TOKENS in explained.out, explained


def test_the_hosts_of_a_tool_are_those_that_its_credentials_need_here(tmp_path: Path, server: Server) -> None:
    catalog = compiled(tmp_path, spec(server))

    def hosts(**host: Any) -> dict[str, tuple[str, ...]]:
        found = http_executor(catalog, TOOLSET, HttpHost(**{"environment": SECRETS, **host})).hosts or {}
        return {ident.rpartition(".")[2]: each for ident, each in found.items()}

    async def headers() -> dict[str, str]:
        return {}

    both, own = (API, TOKENS), (API,)
    assert hosts() == {"me": both, "make": both, "key": both, "open": own}
    assert hosts(environment={**SECRETS, "KEY": "k"}) == {"me": both, "make": both, "key": own, "open": own}
    for host in ({"headers": headers}, {"auth": httpx2.BasicAuth("a", "b")}):
        assert hosts(**host) == dict.fromkeys(("me", "make", "key", "open"), own)
    assert hosts(base_url="https://test.shop.example")["me"] == ("test.shop.example", TOKENS)
    written = {ident: catalog.definition(ident).settings.access.hosts for ident in catalog.toolsets[TOOLSET]}
    assert written == {f"{TOOLSET}.{key}": own if key == "open" else both for key in ("me", "make", "key", "open")}


@pytest.mark.parametrize("tool", ["me", "make"])
def test_an_error_of_a_token_endpoint_names_it_and_no_effect(tmp_path: Path, server: Server, tool: str) -> None:
    with socket.create_server((API, 0)) as closed, socket.create_server((API, 0)) as silent:
        ports = [each.getsockname()[1] for each in (closed, silent)]
        closed.close()
        down, slow = (f"http://{TOKENS}:{port}/token" for port in ports)
        error = error_of(invoke(compiled(tmp_path, spec(server, f"{down}?key=hidden")), tool, environment=SECRETS))
        assert (error.kind, error.code, error.hint) == ("unavailable", "host_unreachable", "")
        assert (
            error.message == redact_text(error.message) == f"cannot connect to {down} (All connection attempts failed)"
        )
        late = compiled(tmp_path, spec(server, f"{slow}?key=hidden"))
        error = error_of(invoke(late, tool, environment=SECRETS, timeout=2))
        assert (error.kind, error.code, error.hint) == ("timeout", "no_response", "")
        assert error.message == f"no response of the token endpoint {slow} within 2 s"
    assert server.requests == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (JSONResponse({"error": "invalid_client"}, 401), "refused the client: invalid_client"),
        (JSONResponse({"access_token": "a b"}), "gave a token that no request has"),
        (Response(b"x", headers={"content-encoding": "gzip"}), "gave no token ("),
    ],
)
def test_a_refusal_of_a_token_endpoint_names_it(tmp_path: Path, server: Server, answer: Response, said: str) -> None:
    server.answers[:] = [answer]
    error = error_of(invoke(compiled(tmp_path, spec(server)), "me", environment=SECRETS))
    assert (error.kind, error.code) == ("unavailable", "no_token")
    endpoint = f"{server.url.replace(API, TOKENS)}/token"
    assert redact_text(error.message).startswith(f"the token endpoint {endpoint} {said}")
    assert not any(secret in json.dumps(error.message) for secret in (*SECRETS.values(), "hidden"))


def test_an_error_of_a_redirect_names_where_it_leads(tmp_path: Path, server: Server) -> None:
    with socket.create_server((API, 0)) as closed:
        url = f"http://{TOKENS}:{closed.getsockname()[1]}/me"
    server.answers[:] = [RedirectResponse(f"{url}?key=hidden")]
    error = error_of(invoke(compiled(tmp_path, spec(server)), "open", environment=SECRETS))
    assert error.code == "host_unreachable"
    assert error.message.startswith(f"cannot connect to {url} (")
