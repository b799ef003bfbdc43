"""The packages of agents: the toolsets that each exports or uses. Both re-export the provider's objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.compiler.emit.literals import docstring
from toolgen.compiler.emit.python.toolset import exports, origins_table
from toolgen.compiler.emit.python.types import shared_module
from toolgen.compiler.emit.templates import import_lines, render

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Agent, Catalog, Toolset


def emit_agents(catalog: Catalog) -> dict[str, str]:
    """Return the files of all agents, by path below the generated root."""
    toolsets = {toolset.name: toolset for toolset in catalog.toolsets if toolset.tools}
    agents = {agent.name: agent for agent in catalog.agents}
    files: dict[str, str] = {}
    for agent in catalog.agents:
        for name in (name for name in agent.export if name in toolsets):
            package = exported_package(agent, toolsets[name])
            files[f"{'/'.join(package)}/__init__.py"] = _provider(agent, toolsets[name], package)
        for name in (name for name in agent.uses if name in toolsets):
            toolset = toolsets[name]
            package = (*agent.package, "toolsets", *toolset.package[:-2], toolset.package[-1])
            provider = (
                exported_package(agents[toolset.exported_by], toolset) if toolset.exported_by else toolset.package
            )
            files[f"{'/'.join(package)}/__init__.py"] = _consumer(agent, toolset, package, provider)
    return files


def exported_package(agent: Agent, toolset: Toolset) -> tuple[str, ...]:
    """Return the package in which an agent exports a toolset."""
    return (*agent.package, "agenttools", toolset.package[-1])


def _provider(agent: Agent, toolset: Toolset, package: tuple[str, ...]) -> str:
    offered = dict(exports(toolset))
    shared = offered.pop(shared_module(toolset.package), [])
    prefix = _relative(package, toolset.package)
    offered = {prefix if module == "." else f"{prefix}{module}": names for module, names in offered.items()}
    if shared:
        offered[shared_module(package)] = shared
    return render(
        "package.py.jinja",
        {
            "docstring": docstring(f"`{toolset.name}`, as the agent `{agent.name}` exports it.", ""),
            "imports": import_lines(offered, reexport=True),
            "origins": origins_table(offered, prefix),
        },
    )


def _consumer(agent: Agent, toolset: Toolset, package: tuple[str, ...], provider: tuple[str, ...]) -> str:
    prefix = _relative(package, provider)
    names = sorted(name for names in exports(toolset).values() for name in names if name != "new_registration")
    function = f"new_{agent.package[-1]}_{toolset.package[-1].rstrip('_')}_toolset_registration"
    return render(
        "consumer.py.jinja",
        {
            "docstring": docstring(f"`{toolset.name}`, as the agent `{agent.name}` uses it.", ""),
            "imports": import_lines({prefix: names}, reexport=True),
            "origins": origins_table({prefix: names}),
            "function": function,
            "function_docstring": docstring(f"Run `{toolset.name}` for `{agent.name}` with one executor.", "    "),
            "provider": prefix,
        },
    )


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Return the relative import of one generated package from another's `__init__`."""
    shared = next((index for index, (one, other) in enumerate(zip(package, target, strict=False)) if one != other), 0)
    return "." * (len(package) - shared + 1) + ".".join(target[shared:])
