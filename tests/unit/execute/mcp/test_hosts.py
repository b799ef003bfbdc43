"""The host of a server: policies judge the one that gets the calls, whoever names it, at every door."""

from __future__ import annotations

import asyncio
import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.compiler.importers.importing import import_tools
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.conftest import TOOLS
from toolgen.contract.records import ToolRequest
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.runtime import Runtime
from toolgen.runtime.policy.approval import question_id
from toolgen.runtime.policy.permission import Decision, PermissionRequest

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


@pytest.mark.parametrize("transport", ["http", "sse"])
@pytest.mark.parametrize("tags", ["", "network"])
@pytest.mark.parametrize("place", ["host", "environment"])
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
