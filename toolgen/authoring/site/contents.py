"""Contents: all that a project has, by name. A name in several targets is that of the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from toolgen.authoring.site.addresses import Addresses, Kind, Link, link_to
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.ir.shapes import ClassRef, ClassType
from toolgen.runtime.catalog.catalog import Catalog as RuntimeCatalog
from toolgen.runtime.policy.effective import ExclusionReason, effective_set, named_by_ident
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import ActionCatalog, Agent, Catalog, Policy, Tool, Toolset
    from toolgen.runtime.policy.effective import EffectiveSet


# Uses: the agents and action catalogs that use a tool.

EXCLUDED: Final = {
    ExclusionReason.ROLE: "its role may not call it",
    ExclusionReason.EXCLUDED: "a policy excludes it",
}
"""Why an agent that uses a tool may not call it."""


@dataclass(frozen=True, slots=True)
class AgentUse:
    """An agent that uses a tool, its role, and the answer of the policies, or why it may not call the tool."""

    link: Link
    role: str
    answer: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of an action catalog that calls a tool."""

    link: Link
    name: str


class Uses:
    """Who uses each tool of a site, by ident."""

    def __init__(self, contents: Contents) -> None:
        self.agents: defaultdict[str, list[AgentUse]] = defaultdict(list)
        self.entries: defaultdict[str, list[Entry]] = defaultdict(list)
        for name, (part, agent) in contents.agents.items():
            found = part.effective_sets[name]
            link = link_to(contents, Kind.AGENT, name)
            for ident, decision in (*found.tools.items(), *found.discovery.items()):
                self.agents[ident].append(AgentUse(link, agent.role, decision.answer.value))
            for ident, reason in found.excluded.items():
                if reason in EXCLUDED:
                    self.agents[ident].append(AgentUse(link, agent.role, EXCLUDED[reason]))
        for name, (_, catalog) in contents.catalogs.items():
            link = link_to(contents, Kind.CATALOG, name)
            for category in catalog.categories:
                for entry, action in category.actions.items():
                    self.entries[action.target].append(Entry(link, f"{category.name} / {entry}"))
                if category.resource:
                    self.entries[category.resource.target].append(Entry(link, f"{category.name} / entries of the host"))


T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """One target: the import name of its package, and what its specs compile to."""

    package: str
    catalog: Catalog

    @cached_property
    def text(self) -> bytes:
        """The `catalog.json` of the package."""
        return emit_catalog_json(self.catalog).encode()

    @cached_property
    def effective_sets(self) -> Mapping[str, EffectiveSet]:
        """What a run of each agent may call, in its own role and in no mode, with all policies of the target."""
        catalog = RuntimeCatalog(text=self.text)
        applied = Policies(catalog.section("policies"), catalog.names)
        return {
            name: effective_set(catalog.entries, named_by_ident(agent, catalog.names), applied, name=name)
            for name, agent in catalog.section("agents").items()
        }


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """A tool, with its toolset and its target."""

    part: Part
    toolset: Toolset
    tool: Tool


class Contents:
    """What the pages are made from."""

    def __init__(self, parts: Sequence[Part]) -> None:
        """Take the targets in their order."""
        self.parts = tuple(parts)
        self.toolsets: Mapping[str, tuple[Part, Toolset]] = _by_name(
            (toolset.name, (part, toolset)) for part in parts for toolset in part.catalog.toolsets if toolset.tools
        )
        self.tools: Mapping[str, ToolPlace] = _by_name(
            (tool.ident, ToolPlace(part, toolset, tool))
            for part, toolset in self.toolsets.values()
            for tool in toolset.tools
        )
        self.agents: Mapping[str, tuple[Part, Agent]] = _by_name(
            (agent.name, (part, agent)) for part in parts for agent in part.catalog.agents
        )
        self.catalogs: Mapping[str, tuple[Part, ActionCatalog]] = _by_name(
            (each.name, (part, each)) for part in parts for each in part.catalog.catalogs
        )
        self.policies: Mapping[str, tuple[Part, Policy]] = _by_name(
            (policy.name, (part, policy)) for part in parts for policy in part.catalog.policies
        )
        self.addresses = Addresses(
            {
                Kind.TOOLSET: self.toolsets,
                Kind.TOOL: self.tools,
                Kind.AGENT: self.agents,
                Kind.CATALOG: self.catalogs,
                Kind.POLICY: self.policies,
            }
        )

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, str]]:
        """The idents of the tools before and after each tool in its toolset, empty at the ends."""
        found: dict[str, tuple[str, str]] = {}
        for _, toolset in self.toolsets.values():
            idents = ["", *(tool.ident for tool in toolset.tools), ""]
            found.update(zip(idents[1:-1], zip(idents, idents[2:], strict=False), strict=True))
        return found

    def args_class(self, place: ToolPlace) -> ClassType | None:
        """Return the class of the args of a tool; None if they are not an object with named fields."""
        shape = place.tool.args.shape
        return self._classes[place.toolset.name].get(shape.name) if isinstance(shape, ClassRef) else None

    @cached_property
    def _classes(self) -> Mapping[str, Mapping[str, ClassType]]:
        return {
            name: {each.name: each for each in toolset.types if isinstance(each, ClassType)}
            for name, (_, toolset) in self.toolsets.items()
        }


def _by_name(found: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return the records by name, sorted; the first of each name."""
    first: dict[str, T] = {}
    for name, each in found:
        first.setdefault(name, each)
    return dict(sorted(first.items()))
