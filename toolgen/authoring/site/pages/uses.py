"""Uses: the agents and action catalogs that use a tool."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.authoring.site.addresses import Kind
from toolgen.authoring.site.pages.links import Link, link_to
from toolgen.runtime.policy.effective import ExclusionReason

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Contents


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
