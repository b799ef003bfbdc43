"""What selectors of agents and policies select."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.authoring.lint.view.places import Place
    from toolgen.authoring.lint.view.project import Project
    from toolgen.compiler.ir.catalog import Tool
    from toolgen.compiler.resolve.selectors.selectable import Selectable


def selectable(project: Project) -> Selectable:
    """Return what resolves selectors over the tools of a target, built-in ones among them."""
    return project.once(_selectable)


def _selectable(project: Project) -> Selectable:
    from toolgen.compiler.resolve.selectors.selectable import Selectable

    catalog = project.catalog
    return Selectable.of(catalog.toolsets, catalog.catalogs, list(catalog.tags))


@dataclass(frozen=True)
class Used:
    """The tools of an agent, or all where there is no agent and the name is empty: in words, and where that is."""

    agent: str
    what: str
    place: Place
    tools: list[Tool]


def used_tools(project: Project) -> Iterator[Used]:
    """Yield each agent with its tools, or all tools where there is no agent."""
    for agent in project.catalog.agents:
        found = {tool.ident: tool for selector in agent.use for tool in selectable(project).select(selector)}
        if found:
            yield Used(
                agent.name, f"the agent `{agent.name}`", project.place(agent, "use").of_key, list(found.values())
            )
    if not project.catalog.agents and project.tools:
        tools = list(project.catalog.tools)
        largest = max(project.toolsets, key=lambda toolset: len(toolset.tools))
        yield Used("", "the target", project.place(largest, "toolset"), tools)
