"""A catalog that is served, listed, imported and built again is the same, but for where it comes from."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from tests.data.sets import OWN, of_sets, place
from tests.unit.cli.command_line import toolgen
from toolgen.compiler.compile import compile_specs
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import Target
from toolgen.llm.tool_use import idle_runtime
from toolgen.runtime import load
from toolgen.schema.json_values import canonical
from toolgen.serve import mcp_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from toolgen.compiler.ir.catalog import Tool
    from toolgen.runtime import Catalog

PROVENANCE = frozenset(
    {
        "ident",
        "key",
        "names",
        "span",
        "remote",
        "source_name",
        "imported",
        "annotations",
        "wire_name",
        "type_name",
        "name",
    }
)
"""Where a tool comes from, and the names of classes, which are made of that."""

NOT_SENT = frozenset({"access", "limits", "confirm", "reminder", "examples"})
"""What a server does by itself, and does not tell its clients."""


def test_a_toolset_of_ones_own_comes_back(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "orders.yaml").write_text("""\
toolgen: 1
toolset: shop.orders
description: Orders of the shop.

types:
  Order:
    type: object
    required: [id]
    properties:
      id: {type: string, pattern: "^o-"}
      parts: {type: array, items: {$ref: "#/types/Order"}}

tools:
  find:
    description: Find orders.
    permission: readonly
    tags: [network]
    args: {query: string, limit: {type: integer, minimum: 1, default: 10}}
    result: {type: array, items: {$ref: "#/types/Order"}}
  refund:
    title: Give the money back
    description: Refund an order.
    tags: [dangerous]
    args:
      order: {$ref: "#/types/Order"}
      reason: {enum: [late, broken, 7, null]}
    result: {refunded: boolean}
    limits: {daily_limit: 3}
""")
    round_trip(tmp_path, "shop.orders")


@pytest.mark.parametrize("name", of_sets(OWN, "tau", "tau2", "kubernetes"))
def test_real_tools_come_back(name: str, tmp_path: Path) -> None:
    imported = toolgen(tmp_path, "import", "mcp", str(place(f"{name}.tools.json")), "--toolset", f"mcp.{name}")
    assert imported.code == 0, imported.err
    round_trip(tmp_path, f"mcp.{name}")


def round_trip(folder: Path, toolset: str) -> None:
    package = f"served_{toolset.replace('.', '_')}"
    (folder / "toolgen.toml").write_text(f'[[targets]]\nspecs = "specs"\nout = "{package}"\n')
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    sys.path.insert(0, str(folder))
    try:
        catalog = load(package)
        listed = asyncio.run(live_tools(catalog))
    finally:
        sys.path.remove(str(folder))
    again = folder / "again"
    again.mkdir()
    (again / "tools.json").write_text(json.dumps({"tools": listed}))
    imported = toolgen(again, "import", "mcp", "tools.json", "--toolset", "mcp.again", "--format", "json")
    assert imported.code == 0, imported.err
    assert imported.json["left_out"] == []
    assert toolgen(again, "build").code == 0

    names = {catalog.wire_name(ident): ident for ident in catalog}
    first = {tool.ident: tool for tool in tools_of(folder)}
    second = {names[tool.remote]: tool for tool in tools_of(again)}
    assert first.keys() == second.keys()
    for ident, tool in first.items():
        assert plain(tool) == plain(second[ident]), ident


async def live_tools(catalog: Catalog) -> list[dict[str, Any]]:
    runtime = idle_runtime(catalog)
    server = mcp_server(runtime, runtime.start_run(), page_size=20)
    found: list[dict[str, Any]] = []
    async with Client(server.protocol, cache=None) as client:
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return found


def tools_of(folder: Path) -> Iterator[Tool]:
    sink = Diagnostics()
    compiled = compile_specs(folder, Target(), sink)
    assert not sink.has_errors
    for toolset in compiled.catalog.toolsets:
        yield from toolset.tools


def plain(tool: Tool) -> Mapping[str, Any]:
    """Return what a tool is, as data; of shapes what holds their values, and not what they are called."""
    left_out = PROVENANCE | NOT_SENT | {"tags"}
    shown = {each.name: data_of(getattr(tool, each.name)) for each in fields(tool) if each.name not in left_out}
    return {**shown, "tags": {*tool.tags} - {"mcp"}}


def data_of(value: Any) -> Any:
    if is_dataclass(value):
        shown = {each.name: data_of(getattr(value, each.name)) for each in fields(value) if each.name not in PROVENANCE}
        return {**shown, "json": canonical(shown["json"])} if "json" in shown else shown
    if isinstance(value, tuple | list):
        return [data_of(each) for each in value]
    return value
