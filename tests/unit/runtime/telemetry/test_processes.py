"""One trace over several processes: by MCP over stdio and over HTTP, and by calls of HTTP APIs."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from opentelemetry.trace import format_span_id, format_trace_id
from starlette.responses import JSONResponse

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.execute.http.api import Recorder, package_of
from tests.unit.runtime.telemetry.receiver import receiving
from tests.unit.runtime.telemetry.spans import Kept, attributes_of, id_of
from tests.unit.serve.conftest import Listening
from toolgen.contract.records import ToolRequest
from toolgen.execute.http import HttpHost, http_executor
from toolgen.execute.trace_context import describe_call
from toolgen.runtime import Runtime, allow_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.runtime import Catalog

PROGRAM = Path(__file__).with_name("agent_program.py")

SERVED = """\
toolgen: 1
toolset: team.echo
tools:
  say:
    description: Say it.
    permission: readonly
    args: {text: string}
    result: {said: string}
"""

APP = """\
from opentelemetry import trace


class Echo:
    def say(self, args, meta):
        from generated.team.tools import echo

        with trace.get_tracer("app").start_as_current_span("handler of say"):
            return echo.SayResult(said=args.text)
"""

AGENT = "toolgen: 1\nagent: clerk\ndescription: Says things.\nuse: [mcp.echo]\n"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The project of the server, and that of the agent, which has imported its tool."""
    server, agent = tmp_path_factory.mktemp("echo_server"), tmp_path_factory.mktemp("echo_agent")
    for folder in (server, agent):
        (folder / "specs").mkdir()
    (server / "specs" / "echo.yaml").write_text(SERVED)
    (server / "app.py").write_text(APP)
    (server / "toolgen.toml").write_text('executors = {"team.echo" = "app:Echo"}\n')
    assert toolgen(server, "build").code == 0
    command = shlex.join([sys.executable, "-m", "toolgen", "-C", str(server), "serve"])
    names = ("PYTHONPATH", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_BSP_SCHEDULE_DELAY")
    variables = [word for name in names for word in ("--env", name)]
    os.environ |= dict.fromkeys(names[1:], "")
    os.environ["PYTHONPATH"] = str(ROOT)
    try:
        imported = toolgen(agent, "import", "mcp", "--stdio", command, "--toolset", "mcp.echo", *variables)
    finally:
        for name in names:
            del os.environ[name]
    assert imported.code == 0, imported.err
    (agent / "specs" / "clerk.agent.yaml").write_text(AGENT)
    built = toolgen(agent, "build")
    assert built.code == 0, built.err
    return server, agent


def environment(endpoint: str, service: str = "") -> dict[str, str]:
    own = {"OTEL_SERVICE_NAME": service} if service else {}
    return {
        **os.environ, "PYTHONPATH": str(ROOT), "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_BSP_SCHEDULE_DELAY": "100", **own,
    }  # fmt: skip


@pytest.mark.slow
def test_one_trace_from_the_agent_to_the_handler_in_another_process(folders: tuple[Path, Path]) -> None:
    with receiving() as receiver:
        done = subprocess.run(
            [sys.executable, PROGRAM],
            cwd=folders[1],
            env={**environment(receiver.endpoint, "agent"), "PYTHONPATH": f"{folders[1]}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"said": "hello"}
    handlers = [span for span in receiver.spans if span.name == "handler of say"]
    assert [span.service for span in handlers] == ["toolgen"]
    (path,) = (line for line in receiver.tree if line.endswith("handler of say"))
    assert path.split(" > ") == [
        "agent: invoke_agent clerk",
        "agent: execute_tool mcp.echo.team__echo__say",
        "agent: attempt 1",
        "agent: MCP send tools/call team__echo__say",
        "toolgen: tools/call team__echo__say",
        "toolgen: execute_tool team.echo.say",
        "toolgen: handler of say",
    ]
    (call,) = (span for span in receiver.spans if span.name == "execute_tool mcp.echo.team__echo__say")
    assert call.attributes["gen_ai.tool.type"] == "extension"
    assert call.attributes["mcp.method.name"] == "tools/call"
    assert call.attributes["network.transport"] == "pipe"
    assert call.attributes["mcp.protocol.version"] >= "2025-06-18"
    assert "hello" not in str(receiver.spans)
    assert {"gen_ai.execute_tool.duration", "gen_ai.invoke_agent.duration"} <= receiver.metrics


@pytest.fixture
def listening(folders: tuple[Path, Path]) -> Iterator[tuple[Listening, Any]]:
    with receiving() as receiver:
        command = [sys.executable, "-m", "toolgen", "-C", str(folders[0]), "serve", "--http", "0"]
        process = subprocess.Popen(command, env=environment(receiver.endpoint), stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "http://" in line, line
        yield Listening(process, line.split()[-1]), receiver


TRACE, CALLER, IN_META = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"


@pytest.mark.slow
@pytest.mark.parametrize("in_meta", [False, True], ids=["header", "meta"])
@pytest.mark.variants(1)
def test_a_served_request_continues_the_trace_of_its_client(listening: Any, in_meta: bool) -> None:
    server, receiver = listening
    meta = {"_meta": {"traceparent": f"00-{TRACE}-{IN_META}-01"}} if in_meta else {}
    params = {"name": "team__echo__say", "arguments": {"text": "hello"}, **meta}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        "traceparent": f"00-{TRACE}-{CALLER}-01",
    }
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with httpx2.Client(headers=headers) as client:
        began = client.post(server.url, json=_message("initialize", hello))
        client.headers["Mcp-Session-Id"] = began.headers["Mcp-Session-Id"]
        client.post(server.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        answer = client.post(server.url, json=_message("tools/call", params))
        assert answer.status_code == 200, answer.text
    code, said = server.stop()
    assert code == 0, said
    (span,) = (each for each in receiver.spans if each.name == "tools/call team__echo__say")
    assert (span.trace.hex(), span.parent.hex()) == (TRACE, IN_META if in_meta else CALLER)
    (call,) = (each for each in receiver.spans if each.name == "execute_tool team.echo.say")
    assert call.parent == span.id


def _message(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


API = """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: https://api.shop.example}
tools:
  get: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items}}
  own: {description: x, permission: readonly, args: {traceparent: string}, http: {method: GET, path: /items, params: {
    traceparent: header}}}
"""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("traced_api")
    yield package_of(folder, "traced_api", API)
    sys.path.remove(str(folder))


def test_a_call_of_an_http_api_carries_the_context_of_its_span(api: Catalog) -> None:
    kept, recorder = Kept(), Recorder()
    host = HttpHost(app=recorder)
    runtime = Runtime(
        api, executors=[http_executor(api, "shop.api", host)], permission=allow_all, telemetry=kept.telemetry
    )

    async def both() -> None:
        await runtime.invoke(ToolRequest(name="shop.api.get"))
        await runtime.invoke(ToolRequest(name="shop.api.own", payload='{"traceparent": "mine"}'))

    asyncio.run(both())
    assert kept.tree()[:2] == ["execute_tool shop.api.get", "  attempt 1"]
    trace, span = id_of(next(span for span in kept.spans if span.name == "attempt 1"))
    sent = recorder.requests[0].header("traceparent") or ""
    assert sent.split("-")[:3] == ["00", format_trace_id(trace), format_span_id(span)]
    assert int(sent[-2:], 16) & 1  # it is sampled
    assert recorder.requests[1].header("traceparent") == "mine"  # what the model sends is not overwritten


def test_goa_13_each_attempt_of_a_call_over_http_is_a_span(api: Catalog) -> None:
    kept, recorder = Kept(), Recorder(answers=[JSONResponse({}, 503), JSONResponse({})])
    host = HttpHost(app=recorder)
    runtime = Runtime(
        api, executors=[http_executor(api, "shop.api", host)], permission=allow_all, telemetry=kept.telemetry
    )
    assert asyncio.run(runtime.invoke(ToolRequest(name="shop.api.get"))).success
    assert kept.tree() == ["execute_tool shop.api.get", "  attempt 1", "  attempt 2"]
    assert [attributes_of(span).get("error.type") for span in kept.spans] == ["503", None, None]


def test_without_a_span_no_context_goes_out(api: Catalog) -> None:
    recorder = Recorder()
    runtime = Runtime(api, executors=[http_executor(api, "shop.api", HttpHost(app=recorder))], permission=allow_all)
    asyncio.run(runtime.invoke(ToolRequest(name="shop.api.get")))
    assert recorder.requests[0].header("traceparent") is None


def test_spans_of_the_host_are_not_described() -> None:
    kept = Kept()
    with kept.tracers.get_tracer("toolgen").start_as_current_span("own"):
        describe_call({"mcp.method.name": "tools/call"})
    assert attributes_of(kept.one) == {}
