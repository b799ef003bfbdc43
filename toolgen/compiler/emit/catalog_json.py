"""`catalog.json`: the catalog that a runtime loads. Only values that differ from their defaults are written.

A tool has two lines, its ident and everything else: a change to it changes one line, and branches that change adjacent
tools can be merged, because there is an unchanged line between the two. Characters that a reviewer would not see are
escaped, as in the modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any

from toolgen import __version__
from toolgen.compiler.emit.literals import header
from toolgen.contract.version import CONTRACT_VERSION
from toolgen.schema.json_values import compact_json
from toolgen.spec.text import visible_json
from toolgen.spec.tool_settings import written
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Action, ActionCatalog, Agent, Catalog, Policy, Tool, Toolset
    from toolgen.compiler.ir.shapes import AliasType, ClassType


def emit_catalog_json(catalog: Catalog, tools: Mapping[str, str] | None = None) -> str:
    """Return the catalog as JSON text, with two lines per tool, which a runtime parses on use.

    `tools` are the second lines, those of `tool_line`, by ident, if they are known.
    """
    if tools is None:
        tools = {}
        for toolset in catalog.toolsets:
            types = {made.name: made for made in toolset.types}
            tools |= {tool.ident: tool_line(tool, toolset.package, types) for tool in toolset.tools}
    sections: dict[str, dict[str, Any]] = {
        "toolsets": {toolset.name: _toolset(toolset) for toolset in catalog.toolsets},
        "tools": {},
        "wire_names": {
            tool.ident: tool.wire_name
            for toolset in catalog.toolsets
            for tool in toolset.tools
            if tool.wire_name not in ("", wire_name(tool.ident))
        },
        "agents": {agent.name: _agent(agent) for agent in catalog.agents},
        "catalogs": {each.name: _action_catalog(each) for each in catalog.catalogs},
        "policies": {policy.name: _policy(policy) for policy in catalog.policies},
        "tags": dict(catalog.tags),
    }
    head = {
        "generated": header(),
        "contract": CONTRACT_VERSION,
        "generator": __version__,
        "formats": catalog.formats,
    }
    pieces = ["{"]
    for key, value in head.items():
        pieces += ("\n", compact_json(key), ": ", compact_json(value), ",")
    for name, entries in sections.items():
        written = {key: visible_json(compact_json(value)) for key, value in entries.items()}
        pieces += ("\n", compact_json(name), ": ")
        pieces += _section(tools, ":\n") if name == "tools" else _section(written, ": ")
        pieces.append(",")
    pieces[-1] = "\n}\n"
    return "".join(pieces)  # once: with one character beyond Latin-1, a copy takes two bytes or four for each


def tool_line(tool: Tool, package: tuple[str, ...], types: Mapping[str, ClassType | AliasType]) -> str:
    """Return the second line of a tool; `types` are those of its toolset, by name, and `package` is its package."""
    places = {name: f"{'.'.join(package)}.{types[name].module}:{name}" for name in tool.names.classes}
    return visible_json(compact_json(_tool(tool, places)))


def _section(entries: Mapping[str, str], between: str) -> list[str]:
    """Return the pieces of an object with one line or two for each entry."""
    pieces = ["{"]
    for key, text in sorted(entries.items()):
        pieces += ("\n", visible_json(compact_json(key)), between, text, ",")
    pieces[-1] = "\n}" if entries else "{}"
    return pieces


def _present(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict without empty values, which are defaults."""
    return {name: value for name, value in values if value not in (None, "", (), [], {}, False)}


def _plain(record: Any, *leave_out: str) -> dict[str, Any]:
    """Return a record of the IR as JSON, without empty defaults; tuples as lists."""
    if record is None:
        return {}
    values = [(item, getattr(record, item.name)) for item in fields(record) if item.name not in leave_out]
    return {item.name: _jsonable(value) for item, value in values if _is_written(item, value)}


def _is_written(item: Field[Any], value: Any) -> bool:
    """Whether a value is not empty, or its default is not."""
    if value not in (None, "", (), {}, False):
        return True
    return item.default is not MISSING and value != item.default


def _jsonable(value: Any) -> Any:
    match value:
        case tuple() | list():
            return [_jsonable(item) for item in value]
        case dict():
            return {key: _jsonable(item) for key, item in value.items()}
        case _:
            return value


def _toolset(toolset: Toolset) -> dict[str, Any]:
    return {
        "kind": toolset.kind.value,
        "package": ".".join(toolset.package),
        **_present(
            (
                ("description", toolset.description),
                ("exported_by", toolset.exported_by),
                ("server", _plain(toolset.server)),
                ("api", toolset.api),
                ("closed", _jsonable(toolset.closed)),
                ("has_handlers", any(tool.handler for tool in toolset.tools)),
            )
        ),
    }


def _tool(tool: Tool, places: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": tool.title,
        "description": tool.description,
        "permission": tool.permission.value,
        "tags": list(tool.tags),
        "args": tool.args.json,
        "args_type": places[tool.names.args],
        "result": tool.result.json,
        "result_type": places[tool.names.result],
        **written(tool),
    }


def _agent(agent: Agent) -> dict[str, Any]:
    return {"package": ".".join(agent.package), **_plain(agent, "name", "package", "uses", "span")}


def _policy(policy: Policy) -> dict[str, Any]:
    return {
        **_plain(policy, "name", "span", "limits", "write_roots", "env", "network"),
        "network": dict(policy.network),
        "write_roots": list(policy.write_roots),
        "env": list(policy.env),
        "limits": dict(policy.limits),
    }


def _action_catalog(catalog: ActionCatalog) -> dict[str, Any]:
    return {
        **_plain(catalog, "name", "span", "categories", "mandates", "search_needs"),
        "categories": [
            {
                "name": category.name,
                "description": category.description,
                **_present(
                    (
                        ("formerly", list(category.formerly)),
                        ("actions", {entry: _action(action) for entry, action in category.actions.items()}),
                        ("resource", _action(category.resource)),
                        ("invoke", category.invoke),
                    )
                ),
            }
            for category in catalog.categories
        ],
        "mandates": [_plain(mandate) for mandate in catalog.mandates],
    }


def _action(action: Action | None) -> dict[str, Any]:
    """Return the properties of an action; the mapping of its args is in the module of the catalog."""
    return {} if action is None else _plain(action, "args", "split", "passed")
