"""The demo server as a process, by each transport, and its tools as a compiled package."""

from __future__ import annotations

import asyncio
import importlib
import json
import socket
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.case import write
from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgen.contract.records import ToolError, ToolResult

PROGRAM: Final = Path(__file__).with_name("demo_server.py")
OBJECT: Final = {"type": "object"}
TOOLS: Final[list[dict[str, Any]]] = [
    {"name": "echo", "description": "Echo.", "inputSchema": OBJECT, "outputSchema": OBJECT},
    {
        "name": "say",
        "description": "Say.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
    {"name": "reject", "inputSchema": OBJECT},
    {"name": "refuse", "inputSchema": OBJECT},
    {"name": "picture", "inputSchema": OBJECT},
    {"name": "crash", "inputSchema": OBJECT},
    {"name": "crash_read", "inputSchema": OBJECT, "annotations": {"readOnlyHint": True}},
    {"name": "count", "inputSchema": OBJECT},
    {"name": "wait", "inputSchema": OBJECT},
    {"name": "change", "inputSchema": OBJECT},
    {"name": "hang_up", "inputSchema": OBJECT},
    {"name": "ask", "inputSchema": OBJECT},
    {"name": "environment", "inputSchema": OBJECT, "outputSchema": OBJECT},
    {"name": "headers", "inputSchema": OBJECT, "outputSchema": OBJECT},
    {"name": "meta", "inputSchema": OBJECT, "outputSchema": OBJECT},
]


@pytest.fixture(scope="session")
def demo_package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from tests.unit.compiler.importers.importing import import_tools

    folder = tmp_path_factory.mktemp("demo_tools")
    imported = import_tools(*TOOLS)
    found = resolved(imported.text)
    assert not found.has_errors, found.messages
    write(folder / "compiled_demo", generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield "compiled_demo"
    sys.path.remove(str(folder))


@dataclass
class Demo:
    """A server of one test: how it is reached, and what it was asked."""

    folder: Path
    package: str
    server: McpServer
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list["subprocess.Popen[bytes]"])

    def __post_init__(self) -> None:
        self.list_tools(TOOLS)

    def list_tools(self, tools: list[dict[str, Any]]) -> None:
        """Decide what the server lists."""
        (self.folder / "tools.json").write_text(json.dumps(tools))

    def fail(self, times: int) -> None:
        """Let the server fail so often before it serves."""
        (self.folder / "failures").write_text(str(times))

    def fail_calls(self, times: int) -> None:
        """Let the server answer so many calls over HTTP with an error."""
        (self.folder / "failed_calls").write_text(str(times))

    def crash(self, times: int) -> None:
        """Let the server die so often in calls of `crash` and `crash_read`."""
        (self.folder / "crashes").write_text(str(times))

    @property
    def calls(self) -> list[str]:
        """What arrived at the server."""
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def runtime(self, host: McpHost | None = None, **settings: Any) -> Runtime:
        catalog = load(self.package)
        registration = mcp_executor(catalog, "mcp.shop", host, server=self.server)
        return Runtime(catalog, executors=[registration], permission=allow_all, **settings)

    def results(
        self, *calls: tuple[str, Any], host: McpHost | None = None, **settings: Any
    ) -> tuple[list[ToolResult[Any]], list[Any]]:
        """Make calls one after the other; with the events of their run."""

        async def all_of_them() -> tuple[list[ToolResult[Any]], list[Any]]:
            store = MemoryStore()
            runtime = self.runtime(host, store=store, **settings)
            found = [
                await runtime.invoke(
                    ToolRequest(name=f"mcp.shop.{name}", payload=json.dumps(args)), meta=ToolCallMeta(run_id="r")
                )
                for name, args in calls
            ]
            return found, list((await store.read("r")).events)

        return asyncio.run(all_of_them())

    def value(self, name: str, args: Any = None, host: McpHost | None = None) -> Any:
        (result,), _ = self.results((name, args or {}), host=host)
        assert result.error is None, result.error
        return result.value

    def error(self, name: str, args: Any = None, host: McpHost | None = None) -> ToolError:
        (result,), _ = self.results((name, args or {}), host=host)
        assert result.error is not None, result.value
        return result.error


@pytest.fixture
def start(tmp_path: Path, demo_package: str) -> Iterator[Callable[..., Demo]]:
    """Start a server of a transport, `stdio`, `http` or `sse`; a server of stdio is started by its client."""
    demos: list[Demo] = []

    def started(transport: str, **settings: Any) -> Demo:
        argv = [forked_python(), str(PROGRAM), transport, str(tmp_path)]
        if transport == "stdio":
            demo = Demo(tmp_path, demo_package, McpServer(stdio=tuple(argv), **settings))
        else:
            port = free_port()
            path = "mcp" if transport == "http" else "sse"
            url: dict[str, Any] = {transport: f"http://127.0.0.1:{port}/{path}"}
            server = McpServer(**url, **settings)
            demo = Demo(tmp_path, demo_package, server)
            demo.processes.append(serve([*argv, str(port)], port))
        demos.append(demo)
        return demo

    yield started
    for demo in demos:
        for process in demo.processes:
            process.kill()
            process.wait()


def free_port() -> int:
    with closing(socket.socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def serve(argv: list[str], port: int) -> subprocess.Popen[bytes]:
    """Start a server, and wait until it accepts connections."""
    process = subprocess.Popen(argv)
    for _ in range(600):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        assert process.poll() is None, "the server ended"
        time.sleep(0.05)
    raise AssertionError("the server does not listen")
