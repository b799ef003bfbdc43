"""The pages of toolsets, agents, action catalogs and policies, and the first page with its diagram."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from toolgen.authoring.site.contents import EXCLUDED, Kind, Link, ToolRow, link_to, summary, tool_row
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.runtime.policy.approvers import combined
from toolgen.schema.json_values import compact_json
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import Contents, Part
    from toolgen.authoring.site.history import History, ToolChange
    from toolgen.compiler.ir.catalog import Action, ActionCatalog, Agent, Condition, Policy, Toolset

_LISTED: Final = 100
"""Maximum tools of a toolset that the page of an agent lists if it may call all of them."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of a list of pages: a link, words such as the kind, the number of tools, and a summary."""

    link: Link
    words: str
    tools: int
    summary: str


@dataclass(frozen=True, slots=True)
class IndexPage:
    """The first page."""

    toolsets: tuple[Listed, ...]
    agents: tuple[Listed, ...]
    catalogs: tuple[Listed, ...]
    policies: tuple[Listed, ...]
    tools: int
    diagram: Diagram
    history: History


@dataclass(frozen=True, slots=True)
class ToolsetPage:
    """The page of a toolset. `source` is what runs its tools, such as a server."""

    name: str
    kind: str
    description: str
    package: str
    source: tuple[tuple[str, str], ...]
    exported_by: Link | None
    place: str
    agents: tuple[Link, ...]
    tools: tuple[ToolRow, ...]
    tags: tuple[tuple[str, str], ...]
    history: tuple[ToolChange, ...]


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """Tools of one toolset. `answers` counts them by answer; `tools` is empty for all tools of a large toolset."""

    toolset: Link
    answers: tuple[tuple[str, int], ...]
    tools: tuple[ToolRow, ...]

    @property
    def count(self) -> int:
        """The number of tools."""
        return sum(count for _, count in self.answers)


@dataclass(frozen=True, slots=True)
class AgentPage:
    """The page of an agent. `selectors` are its lists of selectors, by key; `groups` the tools that it may call."""

    name: str
    description: str
    role: str
    system: str
    package: str
    place: str
    selectors: tuple[tuple[str, tuple[str, ...]], ...]
    exports: tuple[Link, ...]
    groups: tuple[ToolGroup, ...]
    excluded: tuple[ToolRow, ...]
    history: tuple[ToolChange, ...]


@dataclass(frozen=True, slots=True)
class CategoryPart:
    """A category of an action catalog. An entry has its name, its target, and the args that are mapped."""

    name: str
    description: str
    condition: str
    formerly: tuple[str, ...]
    entries: tuple[tuple[str, ToolRow | None, tuple[str, ...]], ...]

    @property
    def is_mapped(self) -> bool:
        """Whether an entry has args that are mapped."""
        return any(args for _, _, args in self.entries)


@dataclass(frozen=True, slots=True)
class CatalogPage:
    """The page of an action catalog."""

    name: str
    prompt: str
    place: str
    categories: tuple[CategoryPart, ...]
    mandates: tuple[tuple[str, tuple[str, ...]], ...]
    seeds: tuple[str, ...]
    history: tuple[ToolChange, ...]


@dataclass(frozen=True, slots=True)
class PolicyPage:
    """The page of a policy. `rules` are tables of selectors and answers, each with a title."""

    name: str
    place: str
    rules: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    history: tuple[ToolChange, ...]


def index_page(contents: Contents, diagram: Diagram, history: History) -> IndexPage:
    """Return the first page."""
    return IndexPage(
        toolsets=tuple(
            Listed(link_to(contents, Kind.TOOLSET, name), each.kind.value, len(each.tools), summary(each.description))
            for name, (_, each) in contents.toolsets.items()
        ),
        agents=tuple(
            Listed(
                link_to(contents, Kind.AGENT, name),
                each.role,
                len(part.effective_sets[name].tools),
                summary(each.description),
            )
            for name, (part, each) in contents.agents.items()
        ),
        catalogs=tuple(
            Listed(link_to(contents, Kind.CATALOG, name), "", _entries(each), summary(each.prompt))
            for name, (_, each) in contents.catalogs.items()
        ),
        policies=tuple(
            Listed(link_to(contents, Kind.POLICY, name), "", len(each.rules), "")
            for name, (_, each) in contents.policies.items()
        ),
        tools=len(contents.tools),
        diagram=diagram,
        history=history,
    )


def _entries(catalog: ActionCatalog) -> int:
    return sum(len(category.actions) for category in catalog.categories)


def toolset_page(contents: Contents, part: Part, toolset: Toolset, history: Iterable[ToolChange]) -> ToolsetPage:
    """Return the page of a toolset."""
    idents = {tool.ident for tool in toolset.tools}
    users = [
        name for name, (its, _) in contents.agents.items() if not idents.isdisjoint(its.effective_sets[name].tools)
    ]
    words = sorted({tag for tool in toolset.tools for tag in tool.tags} & part.catalog.tags.keys())
    return ToolsetPage(
        name=toolset.name,
        kind=toolset.kind.value,
        description=toolset.description,
        package=".".join((part.package, *toolset.package)),
        source=tuple(_source(toolset)),
        exported_by=link_to(contents, Kind.AGENT, toolset.exported_by) if toolset.exported_by else None,
        place=f"{toolset.span.file}:{toolset.span.line}",
        agents=tuple(link_to(contents, Kind.AGENT, name) for name in users),
        tools=tuple(
            tool_row(contents, tool, text=tool.ident.removeprefix(f"{toolset.name}.")) for tool in toolset.tools
        ),
        tags=tuple((word, part.catalog.tags[word]) for word in words),
        history=tuple(history),
    )


def _source(toolset: Toolset) -> Iterator[tuple[str, str]]:
    """Yield what runs the tools. Headers and variables are left out: they may be private."""
    if toolset.server:
        server = toolset.server
        yield "MCP server", server.http or server.sse or " ".join(server.stdio)
        yield "On a changed contract", server.on_drift
    if toolset.api:
        for key in ("base_url", "app"):
            if toolset.api.get(key):
                yield ("HTTP API" if key == "base_url" else "App"), str(toolset.api[key])


def agent_page(contents: Contents, part: Part, agent: Agent, history: Iterable[ToolChange]) -> AgentPage:
    """Return the page of an agent."""
    found = part.effective_sets[agent.name]
    tools = {tool.ident: (toolset, tool) for toolset in part.catalog.toolsets for tool in toolset.tools}
    groups: defaultdict[str, list[ToolRow]] = defaultdict(list)
    for ident, decision in sorted({**found.tools, **found.discovery}.items()):
        toolset, tool = tools[ident]
        text = ident.removeprefix(f"{toolset.name}.")
        groups[toolset.name].append(tool_row(contents, tool, text=text, note=decision.answer.value))
    return AgentPage(
        name=agent.name,
        description=agent.description,
        role=agent.role,
        system=agent.system,
        package=".".join((part.package, *agent.package)),
        place=f"{agent.span.file}:{agent.span.line}",
        selectors=tuple(
            (key, each)
            for key, each in (("use", agent.use), ("on_request", agent.on_request), ("suggest", agent.suggest))
            if each
        ),
        exports=tuple(link_to(contents, Kind.TOOLSET, name) for name in agent.export),
        groups=tuple(_group(contents, name, rows) for name, rows in sorted(groups.items())),
        excluded=tuple(
            tool_row(contents, tools[ident][1], note=EXCLUDED[reason])
            for ident, reason in sorted(found.excluded.items())
            if reason in EXCLUDED
        ),
        history=tuple(history),
    )


def _group(contents: Contents, name: str, rows: list[ToolRow]) -> ToolGroup:
    answers = Counter(row.note for row in rows)
    is_listed = len(rows) <= _LISTED or len(rows) < len(contents.toolsets[name][1].tools)
    listed = tuple(rows) if is_listed else ()
    return ToolGroup(link_to(contents, Kind.TOOLSET, name), tuple(sorted(answers.items())), listed)


def catalog_page(contents: Contents, part: Part, catalog: ActionCatalog, history: Iterable[ToolChange]) -> CatalogPage:
    """Return the page of an action catalog."""
    tools = {tool.ident: tool for tool in part.catalog.tools}

    def entry(name: str, action: Action) -> tuple[str, ToolRow | None, tuple[str, ...]]:
        row = tool_row(contents, tools[action.target]) if action.target in tools else None
        return name, row, tuple(f"{arg}: {_value(value)}" for arg, value in sorted(action.args.items()))

    return CatalogPage(
        name=catalog.name,
        prompt=catalog.prompt,
        place=f"{catalog.span.file}:{catalog.span.line}",
        categories=tuple(
            CategoryPart(
                category.name,
                category.description,
                _condition(category.needs),
                category.formerly,
                (
                    *(entry(name, action) for name, action in category.actions.items()),
                    *([entry("entries of the host", category.resource)] if category.resource else ()),
                ),
            )
            for category in catalog.categories
        ),
        mandates=tuple((each.text, each.tiers) for each in catalog.mandates),
        seeds=catalog.hot_list_seeds,
        history=tuple(history),
    )


def _value(value: Any) -> str:
    return value if isinstance(value, str) else compact_json(value)


def _condition(needs: Condition | None) -> str:
    if needs is None:
        return ""
    among = f" to {' or '.join(needs.among)}" if needs.among else ""
    besides = f", and not to {' or '.join(needs.except_)}" if needs.except_ else ""
    return f"Shown where {needs.setting} is set{among}{besides}."


def policy_page(policy: Policy, history: Iterable[ToolChange]) -> PolicyPage:
    """Return the page of a policy."""
    rules: list[tuple[str, Mapping[str, str]]] = [("Rules for all", policy.rules)]
    rules += [(f"Rules for the role {role}", each) for role, each in policy.roles.items()]
    rules += [(f"Rules in the mode {mode}", each) for mode, each in policy.modes.items()]
    rules.append(("Hosts", policy.network))
    facts: tuple[tuple[str, Iterable[Any]], ...] = (
        ("May write below", policy.write_roots),
        ("Further sensitive paths", policy.sensitive),
        ("Temporary files", ("may be written",) if policy.tmp else ()),
        ("Files with several hard links", ("are read without permission",) if policy.hard_links else ()),
        ("Environment of commands", policy.env),
        ("Limits", (f"{name}: {bound}" for name, bound in policy.limits.items())),
        ("Tools without a spec", policy.registered),
        ("Who may answer", (f"{name}: {combined([who])}" for name, who in policy.approvers.items())),
        ("When a person refuses", (policy.on_permission_deny,)),
    )
    return PolicyPage(
        name=policy.name,
        place=f"{policy.span.file}:{policy.span.line}",
        rules=tuple((title, tuple(each.items())) for title, each in rules if each),
        facts=tuple((name, found) for name, values in facts if (found := tuple(map(str, values))) and any(found)),
        history=tuple(history),
    )


# The diagram of the first page: what runs toolsets, the toolsets, and the agents that use them, in three columns.

_T = TypeVar("_T")

_MOST: Final = 100
"""Maximum toolsets; of more, those with the most tools are drawn."""

_WIDTH: Final = 228
_HEIGHT: Final = 46
_ROW: Final = 58
_COLUMN: Final = 356
_TOP: Final = 34
_LETTERS: Final = 27
"""Maximum letters of a label that surely fit into a box."""

_WORDS: Final = {
    ToolsetKind.SERVICE: "service",
    ToolsetKind.AGENT: "agent",
    ToolsetKind.MCP: "MCP server",
    ToolsetKind.COMMAND: "commands",
    ToolsetKind.HTTP: "HTTP API",
}


@dataclass(frozen=True, slots=True)
class _Box:
    """A box at `x`, `y`, its upper left corner, in pixels; `path` is the page that it links to, if it has one."""

    x: int
    y: int
    name: str
    words: str
    path: str
    kind: str
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def label(self) -> str:
        """The name, cut to the width of the box."""
        return cut(self.name, _LETTERS)


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes, lines as SVG paths, and how many toolsets are not drawn. Sizes are in pixels."""

    boxes: tuple[_Box, ...]
    lines: tuple[str, ...]
    columns: tuple[tuple[int, str], ...]
    width: int
    height: int
    left_out: int


def diagram_of(contents: Contents) -> Diagram:
    """Draw the diagram of a project."""
    every = [toolset for _, toolset in contents.toolsets.values()]
    drawn = sorted(every, key=lambda toolset: (-len(toolset.tools), toolset.name))[:_MOST]
    toolsets = sorted(drawn, key=lambda toolset: (_source_of(toolset), toolset.name))
    sources = sorted({_source_of(toolset) for toolset in toolsets})
    agents = list(contents.agents)
    rows = max(len(sources), len(toolsets), len(agents), 1)
    middle = _column(toolsets, 1, rows)
    left = _column(sources, 0, rows)
    right = _column(agents, 2, rows)
    boxes = [
        *(_Box(x, y, name, words, _agent_path(contents, name, words), "source") for (words, name), (x, y) in left),
        *(
            _Box(x, y, each.name, _tools(each), contents.addresses.path(Kind.TOOLSET, each.name), "toolset")
            for each, (x, y) in middle
        ),
        *(
            _Box(
                x,
                y,
                name,
                f"agent, {contents.agents[name][1].role}",
                contents.addresses.path(Kind.AGENT, name),
                "agent",
            )
            for name, (x, y) in right
        ),
    ]
    places_of_sources, places = dict(left), {each.name: place for each, place in middle}
    lines = [_line(places_of_sources[_source_of(each)], place) for each, place in middle]
    for name, place in right:
        part = contents.agents[name][0]
        used = part.effective_sets[name].tools.keys()
        using = (each for each in toolsets if any(tool.ident in used for tool in each.tools))
        lines += [_line(places[each.name], place) for each in using]
    headings = ((0, "Run by"), (_COLUMN, "Toolsets"), *(((2 * _COLUMN, "Agents"),) if agents else ()))
    width = _COLUMN * (len(headings) - 1) + _WIDTH
    return Diagram(tuple(boxes), tuple(lines), headings, width, _TOP + rows * _ROW, len(every) - len(toolsets))


def _source_of(toolset: Toolset) -> tuple[str, str]:
    """Return what runs a toolset, in words, and its name."""
    kind, words = toolset.kind, _WORDS[toolset.kind]
    if kind is ToolsetKind.AGENT:
        return words, toolset.exported_by or "any agent"
    if kind is ToolsetKind.COMMAND:
        return words, "this machine"
    if kind is ToolsetKind.HTTP:
        url = str((toolset.api or {}).get("base_url", ""))
        return words, urlsplit(url).netloc or url or toolset.name
    if kind is ToolsetKind.MCP:
        return words, toolset.name.removeprefix("mcp.")
    return words, toolset.name.rpartition(".")[0] or "the host"


def _agent_path(contents: Contents, name: str, words: str) -> str:
    return contents.addresses.find(Kind.AGENT, name) if words == _WORDS[ToolsetKind.AGENT] else ""


def _column(each: Iterable[_T], number: int, rows: int) -> list[tuple[_T, tuple[int, int]]]:
    """Place records below each other, in the middle of the height."""
    listed: Sequence[_T] = list(each)
    top = _TOP + (rows - len(listed)) * _ROW // 2
    return [(one, (number * _COLUMN, top + at * _ROW)) for at, one in enumerate(listed)]


def _tools(toolset: Toolset) -> str:
    return f"{toolset.kind.value}, {len(toolset.tools)} tool{'s' if len(toolset.tools) > 1 else ''}"


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + _WIDTH, start[1] + _HEIGHT // 2
    x2, y2 = end[0], end[1] + _HEIGHT // 2
    half = (x2 - x1) // 2
    return f"M{x1} {y1}C{x1 + half} {y1} {x2 - half} {y2} {x2} {y2}"
