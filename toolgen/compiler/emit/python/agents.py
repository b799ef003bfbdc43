"""The packages of agents: the toolsets that each exports or uses. Both pass on the provider's package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolgen.compiler.emit.literals import docstring
from toolgen.compiler.emit.templates import import_lines, render

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Agent, Catalog, Toolset


def emit_agents(catalog: Catalog) -> dict[str, str]:
    """Return the files of all agents, by path below the generated root."""
    toolsets = {toolset.name: toolset for toolset in catalog.toolsets if toolset.tools}
    agents = {agent.name: agent for agent in catalog.agents}
    files: dict[str, str] = {}
    for agent in catalog.agents:
        exported = [toolsets[name] for name in agent.export if name in toolsets]
        if exported:
            package = (*agent.package, "agenttools")
            files[f"{'/'.join(package)}/__init__.py"] = _exported(agent, exported, package)
        used: dict[tuple[str, ...], list[Toolset]] = {}
        for toolset in (toolsets[name] for name in agent.uses if name in toolsets):
            used.setdefault((*agent.package, "toolsets", *toolset.package[:-2]), []).append(toolset)
        for package, members in used.items():
            files[f"{'/'.join(package)}/__init__.py"] = _used(agent, members, package, agents)
    return files


def _exported(agent: Agent, toolsets: Sequence[Toolset], package: tuple[str, ...]) -> str:
    origins = [(_relative(package, toolset.package[:-1]), toolset) for toolset in toolsets]
    return _module(f"The toolsets that the agent `{agent.name}` exports.", origins, [])


def _used(agent: Agent, toolsets: Sequence[Toolset], package: tuple[str, ...], agents: dict[str, Agent]) -> str:
    """Return the module of the toolsets of one service. What an agent exports is taken from that agent."""
    origins: list[tuple[str, Toolset]] = []
    for toolset in toolsets:
        exporter = agents.get(toolset.exported_by)
        provider = (*exporter.package, "agenttools") if exporter else toolset.package[:-1]
        origins.append((_relative(package, provider), toolset))
    constructors = [
        {
            "function": f"new_{agent.package[-1]}_{toolset.package[-1].rstrip('_')}_toolset_registration",
            "docstring": docstring(f"Run `{toolset.name}` for `{agent.name}` with one executor.", "    "),
            "module": _attribute(toolset),
        }
        for toolset in toolsets
    ]
    service = ".".join(toolsets[0].name.split(".")[:-1])
    of = f" of `{service}`" if service else ""
    return _module(f"The toolsets{of} that the agent `{agent.name}` uses.", origins, constructors)


def _module(title: str, origins: Sequence[tuple[str, Toolset]], constructors: Sequence[dict[str, Any]]) -> str:
    imports: dict[str, list[str]] = {}
    for module, toolset in origins:
        imports.setdefault(module, []).append(f"{toolset.package[-1]} as {_attribute(toolset)}")
    values = {"docstring": docstring(title, ""), "imports": import_lines(imports), "constructors": constructors}
    return render("agent.py.jinja", values)


def _attribute(toolset: Toolset) -> str:
    """Return the name of a toolset in the package of an agent, which no parameter of a constructor may hide."""
    name = toolset.package[-1]
    return f"{name}_" if name == "executor" else name


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Return the relative import of one generated package from another's `__init__`."""
    shared = next((index for index, (one, other) in enumerate(zip(package, target, strict=False)) if one != other), 0)
    return "." * (len(package) - shared + 1) + ".".join(target[shared:])
