"""A package with a toolset of each kind, and hosts whose executors are stubs."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.unit.compiler.specs import resolved
from toolgen.compiler.compile import generate
from toolgen.contract.records import ToolCallMeta, ToolRequest
from toolgen.runtime import Runtime, allow_all, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from toolgen.contract.records import ToolResult
    from toolgen.runtime import Catalog

ORDERS = """
toolgen: 1
toolset: shop.orders
tools:
  refund:
    description: Refund an order.
    args:
      order_id: {type: string, pattern: "^o-[0-9]+$"}
      amount?: {type: number, exclusiveMinimum: 0}
      password?: {type: string, format: password}
    result: {refunded: number, note?: string}
  wait:
    description: Wait for an order.
    permission: readonly
    result: {waited: boolean}
    limits: {timeout_ms: 50}
  find:
    description: Find orders.
    permission: readonly
    args: {customer: string, limit: {type: integer, default: 10}}
    result: [string]
    examples:
      - args: {customer: ann}
        result: [o-1, o-2]
      - args: {customer: bob, limit: 1}
        result: [o-3]
  purge:
    description: Delete all orders.
    args: {}
    result: {purged: integer}
  mail:
    description: Send a mail, as the user.
    inject: [token]
    args: {to: string, token: string}
    result: {sent: boolean}
  odd:
    description: No result is possible.
    permission: readonly
    args: {}
    result: {$comment: JSON Schema, type: string, pattern: "^(?=a)b$"}
"""

OTHERS = (
    """
toolgen: 1
toolset: shop.api
kind: http
api: {base_url: "https://api.example.com"}
tools:
  get:
    description: Get an item.
    permission: readonly
    args: {id: integer}
    result: {name: string}
    http: {method: GET, path: "/items/{id}", params: {id: path}}
""",
    """
toolgen: 1
toolset: mcp.clock
kind: mcp
server: {stdio: [clock]}
tools:
  now:
    description: Tell the time.
    permission: readonly
    args: {zone: string}
    result: {time: string}
  alarm:
    description: Set an alarm, as the user.
    inject: [token]
    args: {zone: string, token: string}
    result: {set: boolean}
""",
    """
toolgen: 1
toolset: local
kind: command
tools:
  count:
    description: Count lines.
    permission: readonly
    args: {path: string}
    result: {lines: integer}
    command: {exec: [wc, -l, "{{args.path}}"]}
  wait:
    description: Wait.
    permission: readonly
    result: {waited: boolean}
    command: {exec: [sleep, "1"]}
    limits: {timeout_ms: 50}
""",
    """
toolgen: 1
toolset: lab.research
kind: agent
tools:
  ask:
    description: Ask the researcher.
    permission: readonly
    args: {question: string}
    result: string
""",
    """
toolgen: 1
agent: lab.researcher
role: sub
description: Researches.
export: [lab.research]
use: [shop.orders.find]
""",
    """
toolgen: 1
policy: careful
rules: {shop.orders.purge: deny}
""",
)

EACH_KIND = {
    "shop.orders.refund": ({"order_id": "o-1"}, {"refunded": 5}),
    "shop.api.get": ({"id": 7}, {"name": "pen"}),
    "mcp.clock.now": ({"zone": "UTC"}, {"time": "noon"}),
    "local.count": ({"path": "a.txt"}, {"lines": 3}),
    "lab.research.ask": ({"question": "why"}, "because"),
}
"""A tool of each kind, with args and a result."""

_numbers = count(1)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Return the catalog of the package, which is importable during a test."""
    yield from built(tmp_path_factory.mktemp("package"), ORDERS, *OTHERS)


def built(folder: Path, *texts: str) -> Iterator[Catalog]:
    """Compile specs to a package of its own name; it is importable until the end."""
    name = f"stubbed_{next(_numbers)}"
    found = resolved(*texts)
    assert not found.has_errors, found.messages
    write(folder / name, generate(found.catalog))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield load(name)
    finally:
        sys.path.remove(str(folder))
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            del sys.modules[module]


def orders_of(catalog: Catalog) -> Any:
    """Return the generated package of the toolset `shop.orders`."""
    return importlib.import_module(catalog.package_of("shop.orders"))


def invoke(catalog: Catalog, executors: Sequence[Any], tool: str, args: Any = None, **host: Any) -> ToolResult[Any]:
    """Make one call in a runtime of its own."""
    runtime = Runtime(catalog, executors=executors, missing=catalog.toolsets, **{"permission": allow_all, **host})
    return asyncio.run(invoke_in(runtime, tool, args))


async def invoke_in(runtime: Runtime, tool: str, args: Any = None) -> ToolResult[Any]:
    """Make one call, as a model does."""
    request = ToolRequest(name=tool, payload=json.dumps({} if args is None else args))
    return await runtime.invoke(request, meta=ToolCallMeta(user="ann", run_id="r1"))
