"""Contents: all that a project has, by name, and the addresses of its pages.

A name in several targets is that of the first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.ir.shapes import ClassRef, ClassType
from toolgen.runtime.catalog.catalog import Catalog as RuntimeCatalog
from toolgen.runtime.policy.effective import ExclusionReason, effective_set
from toolgen.runtime.policy.policy import Policies
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import ActionCatalog, Agent, Catalog, Policy, Tool, Toolset
    from toolgen.runtime.policy.effective import EffectiveSet


# Addresses: the path of every page, safe and unique on every file system, whatever the name is.

_LONGEST: Final = 120
"""Maximum characters of a file name, without `.html`; file systems allow 255 bytes."""

_SAFE: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?", re.ASCII)
_OTHERS: Final = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)
"""Names that Windows reserves, also in front of a dot."""


class Kind(StrEnum):
    """What a page is about. The value is the folder of its pages."""

    TOOLSET = "toolsets"
    TOOL = "tools"
    AGENT = "agents"
    CATALOG = "catalogs"
    POLICY = "policies"


class Addresses:
    """The paths of the pages of a site."""

    def __init__(self, names: Mapping[Kind, Iterable[str]]) -> None:
        """Take all names of each kind."""
        self._paths = {kind: file_names(each) for kind, each in names.items()}

    def path(self, kind: Kind, name: str) -> str:
        """Return the path of a page, relative to the site. Raises KeyError if there is no such page."""
        return f"{kind.value}/{self._paths[kind][name]}.html"

    def find(self, kind: Kind, name: str) -> str:
        """Return the path of a page; empty if there is none."""
        return self.path(kind, name) if name in self._paths.get(kind, {}) else ""


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file name for each name: the name itself if it is safe and differs from others by more than case.

    Otherwise it is made of the safe characters of the name and ten digits of a hash of the name.
    """
    every = list(dict.fromkeys(names))
    folded = Counter(name.casefold() for name in every)
    return {name: name if _is_safe(name) and folded[name.casefold()] == 1 else _hashed(name) for name in every}


def _is_safe(name: str) -> bool:
    is_device = name.partition(".")[0].casefold() in _DEVICES
    return _SAFE.fullmatch(name) is not None and len(name) <= _LONGEST and not is_device


def _hashed(name: str) -> str:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    readable = _OTHERS.sub("-", name).strip("-").lower()[:40].strip("-")
    return f"{readable or 'page'}--{digest}"


# Links: names that lead to pages, and rows of lists of tools.


@dataclass(frozen=True, slots=True)
class Link:
    """A name and the path of its page, relative to the site; empty if it has none."""

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool in a list. `note` is what the list adds, such as the answer of the policies."""

    link: Link
    permission: str
    tags: tuple[str, ...]
    summary: str
    note: str = ""


def link_to(contents: Contents, kind: Kind, name: str) -> Link:
    """Return the link to a page, or only the name if there is no such page."""
    return Link(name, contents.addresses.find(kind, name))


def tool_row(contents: Contents, tool: Tool, *, text: str = "", note: str = "") -> ToolRow:
    """Return the row of a tool; `text` stands for its ident."""
    return ToolRow(
        Link(text or tool.ident, contents.addresses.path(Kind.TOOL, tool.ident)),
        tool.permission.value,
        tool_tags(tool, contents.tools[tool.ident].toolset),
        summary(tool.description),
        note,
    )


def tool_tags(tool: Tool, toolset: Toolset) -> tuple[str, ...]:
    """Return the tags of a tool, without its permission and the kind of its toolset, which are among them."""
    return tuple(tag for tag in tool.tags if tag not in (tool.permission.value, toolset.kind.value))


def summary(description: str) -> str:
    """Return the first paragraph of a description, as one line of at most 200 characters."""
    return cut(" ".join(description.strip().split("\n\n", 1)[0].split()), 200)


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
            name: effective_set(catalog.entries, agent, applied, catalog.names, name=name)
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
