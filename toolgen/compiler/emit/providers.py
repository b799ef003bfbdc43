"""`providers/<name>.json`: the tools of a package in a request to a provider, if a target exports it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolgen.providers.protocol import OfferedTool
from toolgen.providers.table import provider, provider_tool_name
from toolgen.schema.compact import model_args_schema
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.text import visible_json
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.ir.catalog import Catalog, Tool
    from toolgen.providers.protocol import ToolPayload


def emit_providers(catalog: Catalog, export: Sequence[str]) -> dict[str, str]:
    """Return the members of a request to each provider, as JSON text."""
    return {
        f"providers/{name}.json": visible_json(
            json.dumps(dict(_payload(catalog, name)[0].fields), ensure_ascii=False, indent=2)
        )
        + "\n"
        for name in export
    }


def check_exports(catalog: Catalog, export: Sequence[str], sink: Diagnostics) -> None:
    """Report the tools that a provider cannot represent."""
    for name in export:
        payload, tools = _payload(catalog, name)
        for problem in payload.problems:
            tool = tools[problem.tool]
            where = f" at `{problem.pointer}` of its args" if problem.pointer else ""
            fix = "change its args, or remove the provider from `export`"
            sink.report(
                "TG413", tool.span, f"`{tool.ident}` cannot be offered by `{name}`{where}: {problem.reason}", fix=fix
            )


def _payload(catalog: Catalog, name: str) -> tuple[ToolPayload, dict[str, Tool]]:
    """Return the payload of all tools, ordered by ident, and the tools by their names in it."""
    made = provider(name)
    tools = [tool for tool in catalog.tools if tool.ident not in DISCOVERY]
    offered = [
        OfferedTool(
            name=provider_tool_name(tool.ident, tool.wire_name or wire_name(tool.ident), made),
            description=tool.description,
            args=model_args_schema(tool.args.json, tool.inject),
            title=tool.title,
            permission=tool.permission.value,
        )
        for tool in tools
    ]
    return made.tools(offered), {each.name: tool for each, tool in zip(offered, tools, strict=True)}
