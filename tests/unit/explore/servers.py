"""Toolsets with servers that are explored: an MCP server in a process of its own, and an API in this one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse

from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.importers.importing import import_tools
from tests.unit.execute.http.api import package_of
from tests.unit.execute.mcp.conftest import PROGRAM, TOOLS, Demo
from toolgen.execute.http import HttpHost, http_executor
from toolgen.execute.mcp import McpHost, McpServer, mcp_executor
from toolgen.explore import Explorer, ExploreSettings, ask_in_page, explorer
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, load

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from toolgen.contract.records import ToolsetRegistration

PACKAGE: Final = "explored_servers"
FOUND: Final = {"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}

SPECS: Final = (
    import_tools(*TOOLS).text,
    """
toolgen: 1
toolset: shop.api
kind: http
api:
  base_url: https://shop.example
  auth: {key: {type: api_key, in: header, name: X-Key, value: $env.SHOP_KEY}}
tools:
  stock: {description: Read the stock., permission: readonly, args: {}, http: {method: GET, path: /stock}}
""",
    """
toolgen: 1
toolset: mcp.away
kind: mcp
tools:
  far: {description: Go far., args: {}}
""",
    "toolgen: 1\nagent: clerk\nuse: [mcp.shop.say, mcp.shop.reject]\n",
    "toolgen: 1\npolicy: careful\nrules:\n  mcp.shop.crash: deny\nmodes:\n  closed: {'mcp.shop.*': deny}\n",
)


_PACKAGES: Final = TemporaryDirectory(prefix="explored")
"""Where the package is until the tests end."""


@cache
def catalog_package() -> str:
    """Compile the toolsets once into a package that can be imported; return its name."""
    package_of(Path(_PACKAGES.name), PACKAGE, *SPECS)
    return PACKAGE


def demo(folder: Path, **settings: Any) -> Demo:
    """Return an MCP server over stdio that lists the compiled tools; it is started when it is connected to."""
    argv = (forked_python(), str(PROGRAM), "stdio", str(folder))
    return Demo(folder, catalog_package(), McpServer(stdio=argv, **settings))


async def _api(scope: Scope, receive: Receive, send: Send) -> None:
    is_down = dict(scope["headers"]).get(b"x-key") == b"down-down"
    await JSONResponse({"message": "no stock"}, 500 if is_down else 200)(scope, receive, send)


def explored(
    server: McpServer, *, host: McpHost | None = None, environment: dict[str, str] | None = None, **options: Any
) -> Explorer:
    """Return an explorer of the toolsets; nothing runs `mcp.away`. `options` are those of `explorer`."""
    catalog: Catalog = load(catalog_package())
    store = options.pop("store", None) or MemoryStore()
    given = environment or {"SHOP_KEY": "key-of-the-shop"}
    api = http_executor(catalog, "shop.api", HttpHost(environment=given, app=_api, base_url="https://shop.example"))
    executors: list[ToolsetRegistration] = [mcp_executor(catalog, "mcp.shop", host, server=server), api]
    runtime = Runtime(catalog, executors=executors, missing=["mcp.away"], permission=ask_in_page, store=store)
    settings = options.pop("settings", None) or ExploreSettings()
    return explorer(runtime, store=store, settings=settings, **options)


async def close(app: Explorer) -> None:
    """End the connections of the executors, as the command does."""
    await app.close()
    for each in app.runtime.executors.values():
        executor: Any = each.executor
        await executor.close()
