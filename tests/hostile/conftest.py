"""Hostile peers, and the packages whose calls reach them."""

from __future__ import annotations

import importlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.case import write
from tests.hostile.mcp_peer import TOOLS
from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.importers.importing import import_tools
from tests.unit.compiler.specs import resolved
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.conftest import free_port, serve
from toolgen.compiler.compile import generate
from toolgen.execute.mcp import McpServer

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from toolgen.runtime import Catalog

PROGRAM = Path(__file__).with_name("mcp_peer.py")
SPEC = """
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: https://api.shop.example
  auth: {client: {type: oauth2, token_url: TOKEN_URL, client_id: $env.CLIENT, client_secret: $env.SECRET}}
tools:
  get: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items, security: []}}
  signed: {description: x, permission: readonly, args: {}, http: {method: GET, path: /items, security: [[client]]}}
"""


@pytest.fixture(scope="session")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return package_of(
        tmp_path_factory.mktemp("answers"), "compiled_answers", SPEC.replace("TOKEN_URL", "https://t.example")
    )


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("hostile_tools")
    imported = import_tools(*({"name": name, "inputSchema": {"type": "object"}} for name in TOOLS))
    found = resolved(imported.text)
    write(folder / "compiled_hostile", generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    yield "compiled_hostile"
    sys.path.remove(str(folder))


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Callable[..., McpServer]]:
    """Start a server of a transport: `stdio`, `http`, `events` or `sse`; with further words for its program."""
    processes: list[subprocess.Popen[bytes]] = []

    def started(transport: str, *words: str) -> McpServer:
        if transport == "stdio":
            return McpServer(stdio=(forked_python(), str(PROGRAM), "stdio", *words), retries=0)
        port = free_port()
        command = shlex.join([sys.executable, str(PROGRAM), transport, str(port), *words])
        program = f"cd {shlex.quote(str(tmp_path))} && exec {command}"
        processes.append(serve(["sh", "-c", program], port))
        url = f"http://127.0.0.1:{port}/mcp"
        return McpServer(sse=url, retries=0) if transport == "sse" else McpServer(http=url, retries=0)

    yield started
    for process in processes:
        process.kill()
        process.wait()
