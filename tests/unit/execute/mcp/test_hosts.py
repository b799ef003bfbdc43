"""The host of a server: policies judge the one that gets the calls, whoever names it, at every door."""

from __future__ import annotations

import asyncio
import json
import shlex
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.importers.importing import import_tools
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.conftest import TOOLS
from toolgen.adapters import langchain
from toolgen.adapters.bridge import Bridge
from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.policy.approval import question_id
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.serve import mcp_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.execute.mcp.conftest import Demo

HERE = "127.0.0.1"
NAMES = iter(range(1000))


def spec(tags: str, server: str, permission: str = "readonly") -> str:
    text = import_tools(*TOOLS).text.replace("kind: mcp\n", f"kind: mcp\n{server}", 1)
    assert "\ndefaults" not in text
    return text.replace("\ntools:", f"\ndefaults: {{permission: {permission}, tags: [{tags}]}}\ntools:", 1)


def calls(folder: Path, demo: Demo, network: str, tags: str, server: str, host: McpServer | None) -> Any:
    """Return whether `echo` is offered, how a call in a run and one outside of runs end, and what was asked."""
    policy = f"toolgen: 1\npolicy: p\nnetwork: {{{network}}}\n"
    catalog = package_of(folder, f"hosts_{next(NAMES)}", spec(tags, server), policy)
    asked: list[tuple[str, ...]] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request.hosts)
        return Decision.ALLOW_ONCE

    environment = {"PLACE": (demo.server.http or demo.server.sse).removeprefix("http://")}
    own = mcp_executor(catalog, "mcp.shop", McpHost(environment=environment), server=host)
    runtime = Runtime(catalog, executors=[own], permission=permission)
    run = runtime.start_run()
    request = ToolRequest(name="mcp.shop.echo", payload=json.dumps({}))

    async def codes() -> list[str]:
        found = [await runtime.invoke(request), await runtime.invoke(request, run=run)]
        return [each.error.code if each.error else "ok" for each in found]

    ends = asyncio.run(codes())
    return "mcp.shop.echo" in run.effective.offered, ends, asked


def test_reg_94_a_question_shows_the_program_and_the_folder_that_a_host_gives_a_server(
    start: Callable[..., Demo], tmp_path: Path
) -> None:
    demo = start("stdio")
    program, *args = demo.server.stdio
    catalog = package_of(
        tmp_path, f"hosts_{next(NAMES)}", spec("", f"server: {{stdio: [$env.PROGRAM, {', '.join(args)}]}}\n", "write")
    )
    asked: list[PermissionRequest] = []

    def permission(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    async def call(folder: Path) -> Any:
        own = mcp_executor(catalog, "mcp.shop", McpHost(environment={"PROGRAM": program}, cwd=folder))
        runtime = Runtime(catalog, executors=[own], permission=permission)
        result = await runtime.invoke(ToolRequest(name="mcp.shop.say", payload='{"text": "x"}', tool_call_id="c"))
        assert result.error is None, result.error

    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        asyncio.run(call(folder))
    assert [each.cwd for each in asked] == [str(tmp_path / "one"), str(tmp_path / "other")]
    assert {each.program for each in asked} == {shlex.join([program, *args])}
    assert len(set(map(question_id, asked))) == 2


PAIRS = {
    ("http", "", "host"),
    ("sse", "network", "host"),
    ("http", "network", "environment"),
    ("sse", "", "environment"),
}
"""Each two values of two parameters together. All three together are in the long suite."""


@pytest.mark.parametrize(
    ("transport", "tags", "place"),
    [
        pytest.param(*each, marks=() if each in PAIRS else pytest.mark.long)
        for each in product(("http", "sse"), ("", "network"), ("host", "environment"))
    ],
)
@pytest.mark.variants(2)
def test_reg_75_policies_judge_the_host_of_the_server_that_gets_the_calls(
    start: Callable[..., Demo], tmp_path: Path, transport: str, tags: str, place: str
) -> None:
    demo = start(transport)
    if place == "host":
        server, own = 'server: {http: "https://mcp.example.com/mcp"}\n', demo.server
    else:
        server, own = f'server: {{{transport}: "http://$env.PLACE"}}\n', None

    def under(network: str) -> Any:
        return calls(tmp_path, demo, network, tags, server, own)

    assert under(f'"{HERE}": deny, "*": allow') == (False, ["permission_denied"] * 2, [])
    assert under('mcp.example.com: allow, "*": deny') == (False, ["permission_denied"] * 2, [])
    assert demo.calls == []
    assert under(f'mcp.example.com: deny, "{HERE}": allow') == (True, ["ok"] * 2, [])
    assert under(f'"{HERE}": ask, "*": allow') == (True, ["ok"] * 2, [(HERE,)] * 2)


def test_reg_75_a_program_instead_of_a_server_of_the_network_is_not_on_the_host_of_the_spec(
    start: Callable[..., Demo], tmp_path: Path
) -> None:
    demo = start("stdio")
    server = 'server: {http: "https://mcp.example.com/mcp"}\n'

    def under(network: str) -> Any:
        return calls(tmp_path, demo, network, "network", server, demo.server)

    assert under('mcp.example.com: allow, "*": deny') == (False, ["permission_denied"] * 2, [])
    assert demo.calls == []
    assert under('mcp.example.com: allow, "*": ask') == (True, ["ok"] * 2, [()] * 2)


@pytest.mark.parametrize("tags", ["", "network"])
def test_reg_75_a_server_on_a_host_that_a_policy_denies_gets_no_call_by_any_door(
    start: Callable[..., Demo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tags: str
) -> None:
    demo = start("http")
    policy = f'toolgen: 1\npolicy: p\nnetwork: {{"{HERE}": deny, "*": allow}}\n'
    catalog = package_of(tmp_path, f"hosts_{next(NAMES)}", spec(tags, ""), policy)
    own = mcp_executor(catalog, "mcp.shop", server=demo.server)
    runtime = Runtime(catalog, executors=[own], permission=allow_all)
    run = runtime.start_run()

    async def doors() -> None:
        request = ToolRequest(name="mcp.shop.echo", payload="{}", tool_call_id="c")
        await runtime.invoke(request)
        await runtime.turn([request], run)
        assert await runtime.permission_request(request, run) is None
        bridge: Bridge[None] = Bridge(runtime, run)
        await bridge.make(await bridge.read("mcp__shop__echo", "{}", "c", None))
        assert langchain.tools(runtime, run) == []
        async with Client(mcp_server(runtime, run).protocol, cache=None) as client:
            assert (await client.list_tools()).tools == []
            with suppress(MCPError):
                await client.call_tool("mcp__shop__echo", {})

    asyncio.run(doors())
    monkeypatch.setenv("PLACE", demo.server.http.removeprefix("http://"))
    (tmp_path / "project" / "specs").mkdir(parents=True)
    served = spec(tags, 'server: {http: "http://$env.PLACE"}\n')
    (tmp_path / "project" / "specs" / "shop.yaml").write_text(served)
    (tmp_path / "project" / "specs" / "policy.yaml").write_text(policy)
    assert toolgen(tmp_path / "project", "build").code == 0
    called = [
        toolgen(tmp_path / "project", "call", "mcp.shop.echo", "{}", "--yes", *more)
        for more in ((), ("--disable-policy", "p"))
    ]
    assert [(each.code, "permission_denied" in each.err) for each in called] == [(1, True), (0, False)], called
    assert demo.calls == ["echo {}"]


@pytest.mark.parametrize("tags", ["", "network"])
def test_reg_75_a_server_whose_url_has_an_unclear_host_is_denied_where_a_policy_denies_any(
    start: Callable[..., Demo], tmp_path: Path, tags: str
) -> None:
    demo = start("http")
    own = McpServer(http=demo.server.http.replace("//", "//mcp.example.com@"))

    def under(network: str) -> Any:
        return calls(tmp_path, demo, network, tags, "", own)

    assert under('evil.example: deny, "*": allow') == (False, ["permission_denied"] * 2, [])
    assert demo.calls == []
    assert under('"*": allow') == (True, ["ok"] * 2, [("*",)] * 2)
