"""Programs of others: the official inspector as a client of ours, official servers as servers of imported toolsets."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.programs.installed import PROGRAMS, environment, needs, node_folder, program
from tests.unit.cli.command_line import toolgen
from tests.unit.serve.conftest import TOKENS, Listening, Project
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.contract.records import ToolResult

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("serve")]


@needs("mcp-inspector")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_and_calls(transport: str, project: Project, listening: Listening) -> None:
    def inspected(*arguments: str) -> Any:
        target = [listening.url, "--transport", "http", "--header", f"Authorization: Bearer {TOKENS['ana']}"]
        if transport == "stdio":
            target = project.command("--user", "ana")
        done = subprocess.run(
            [program("mcp-inspector"), "--cli", *target, *arguments],
            env={**environment(), **project.environment, "PATH": environment()["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    names = [tool["name"] for tool in inspected("--method", "tools/list")["tools"]]
    assert "team__jobs__who" in names
    called = inspected("--method", "tools/call", "--tool-name", "team__jobs__who")
    assert called["structuredContent"] == {"user": "ana"}


@dataclass(frozen=True)
class Server:
    """An official server: how it is started, and calls of its tools: keys, args, and what the result has in it."""

    name: str
    stdio: tuple[str, ...]
    calls: tuple[tuple[str, Mapping[str, Any], str], ...]


def node(package: str, *arguments: str) -> tuple[str, ...]:
    folder = node_folder() or Path("/usr/bin")
    script = PROGRAMS / "npm" / "node_modules" / "@modelcontextprotocol" / package / "dist" / "index.js"
    return (str(folder / "node"), str(script), *arguments)


SERVERS = [
    pytest.param(
        Server(
            "everything",
            node("server-everything", "stdio"),
            (
                ("echo", {"message": "hello"}, "Echo: hello"),
                ("get_sum", {"a": 2, "b": 3.5}, "5.5"),
                ("get_structured_content", {"location": "Chicago"}, "temperature"),
                ("get_tiny_image", {}, "image/png"),
            ),
        ),
        marks=needs("mcp-server-everything"),
        id="everything",
    ),
    pytest.param(
        Server(
            "filesystem",
            node("server-filesystem", "{folder}"),
            (
                ("write_file", {"path": "{folder}/a.txt", "content": "written"}, "a.txt"),
                ("read_text_file", {"path": "{folder}/a.txt"}, "written"),
            ),
        ),
        marks=needs("mcp-server-filesystem"),
        id="filesystem",
    ),
    pytest.param(
        Server(
            "memory",
            node("server-memory"),
            (
                (
                    "create_entities",
                    {"entities": [{"name": "ana", "entityType": "person", "observations": ["likes tea"]}]},
                    "likes tea",
                ),
                ("read_graph", {}, "ana"),
            ),
        ),
        marks=needs("mcp-server-memory"),
        id="memory",
    ),
    pytest.param(
        Server(
            "git",
            (str(program("mcp-server-git")), "--repository", "{folder}"),
            (("git_status", {"repo_path": "{folder}"}, "On branch"),),
        ),
        marks=needs("mcp-server-git"),
        id="git",
    ),
    pytest.param(
        Server(
            "time",
            (str(program("mcp-server-time")), "--local-timezone", "UTC"),
            (("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}, "21:00"),),
        ),
        marks=needs("mcp-server-time"),
        id="time",
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "files").mkdir()
    subprocess.run(["git", "init", "--quiet", "-b", "main", tmp_path / "files"], check=True)
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_is_imported_live_built_and_called_by_typed_ids(server: Server, folder: Path) -> None:
    catalog, package = imported(server, folder)
    host = McpHost(environment={"MEMORY_FILE_PATH": str(folder / "files" / "memory.jsonl")})

    async def use() -> list[tuple[str, ToolResult[Any]]]:
        registration = mcp_executor(catalog, f"mcp.{server.name}", host)
        runtime = Runtime(catalog, executors=[registration], permission=allow_all)
        results: list[tuple[str, ToolResult[Any]]] = []
        async with registration.executor:  # type: ignore[union-attr]  # an McpExecutor
            for key, args, wanted in server.calls:
                ident = getattr(package, key.upper())
                given = catalog.codec(ident, "args").decode(json.dumps(filled(args, folder)))
                results.append((wanted, await runtime.call(ident, given)))
        return results

    for wanted, result in asyncio.run(use()):
        assert result.success, result.error
        assert wanted in result.payload.decode() + json.dumps([block.data for block in result.blocks])


@needs("mcp-server-everything")
@pytest.mark.parametrize("retries", [0, 2])
def test_a_server_that_is_killed_in_the_middle_of_a_call(retries: int, folder: Path) -> None:
    everything: Server = SERVERS[0].values[0]  # type: ignore[assignment]  # a pytest parameter set
    catalog, package = imported(everything, folder)
    server = McpServer(stdio=everything.stdio, retries=retries)
    runtime = Runtime(
        catalog,
        executors=[registration := mcp_executor(catalog, "mcp.everything", server=server)],
        permission=allow_all,
    )

    async def use() -> tuple[ToolResult[Any], ToolResult[Any]]:
        ident = package.TRIGGER_LONG_RUNNING_OPERATION
        args = catalog.codec(ident, "args").decode(b'{"duration": 6, "steps": 60}')
        async with registration.executor:  # type: ignore[union-attr]  # an McpExecutor
            call = asyncio.create_task(runtime.call(ident, args))
            async with asyncio.timeout(60):
                while not (started := children(everything.stdio[1])):
                    await asyncio.sleep(0.1)
                await asyncio.sleep(3)  # until it is in the call
            os.kill(started[0], signal.SIGKILL)
            killed = await call
            echo = catalog.codec(package.ECHO, "args").decode(b'{"message": "again"}')
            return killed, await runtime.call(package.ECHO, echo)

    killed, again = asyncio.run(use())
    if retries:  # the tool is readonly, so the call is made again, of a server that is started again
        assert killed.success, killed.error
    else:
        assert killed.error is not None
        assert killed.error.code == "connection_lost"
    assert again.success, again.error


def children(script: str) -> list[int]:
    """The processes that this one started to run a script."""
    found: list[int] = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                command = (process / "cmdline").read_text()
            except OSError:
                continue
            if int(parent) == os.getpid() and script in command:
                found.append(int(process.name))
    return found


def imported(server: Server, folder: Path) -> tuple[Any, Any]:
    """Import the live tools of a server, and build; returns the catalog, and the package of the toolset."""
    command, *arguments = filled(server.stdio, folder)

    async def live() -> list[dict[str, Any]]:
        parameters = StdioServerParameters(command=command, args=arguments)
        async with Client(stdio_client(parameters)) as client:
            tools = (await client.list_tools()).tools
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    name = f"live_{server.name}_{os.getpid()}_{folder.name}".replace("-", "_")
    (folder / "toolgen.toml").write_text(f'[[targets]]\nout = "{name}"\n')
    (folder / "tools.json").write_text(json.dumps({"tools": asyncio.run(live())}))
    done = toolgen(folder, "import", "mcp", "tools.json", "--toolset", f"mcp.{server.name}", "--format", "json")
    assert done.code == 0, done.err
    assert done.json["left_out"] == []
    spec = folder / "specs" / f"{server.name}.yaml"
    reached = json.dumps(
        {"stdio": [command, *arguments], **({"env": ["MEMORY_FILE_PATH"]} if server.name == "memory" else {})}
    )
    spec.write_text(spec.read_text().replace("kind: mcp\n", f"kind: mcp\nserver: {reached}\n", 1))
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    catalog = load(name)
    return catalog, importlib.import_module(catalog.package_of(f"mcp.{server.name}"))


def filled(value: Any, folder: Path) -> Any:
    text = json.dumps(value).replace("{folder}", str(folder / "files"))
    return json.loads(text)
