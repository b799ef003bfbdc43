"""The surface: how many bytes of a request tools take, as each presentation shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.protocol import OfferedTool, OfferProblem
from toolgen.providers.table import provider, provider_tool_name
from toolgen.runtime.base.located import forget, locate
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import compact_json
from toolgen.schema.keywords import APPLICATORS
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.tool_use import LAYERS
from toolgen.spec.wire_names import wire_name
from toolgen.spec.writing import write_inside

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import Project, SpecPlace
    from toolgen.compiler.ir.catalog import Tool
    from toolgen.compiler.resolve.selectors import Selectable
    from toolgen.providers.protocol import ToolPayload
    from toolgen.runtime.catalog.catalog import Catalog as LoadedCatalog
    from toolgen.runtime.runs.run import Run
    from toolgen.spec.tool_use import PresentationName


# What selectors of agents and policies select.


def selectable(project: Project) -> Selectable:
    """Return what resolves selectors over the tools of a target, built-in ones among them."""
    return project.once(_selectable)


def _selectable(project: Project) -> Selectable:
    from toolgen.compiler.resolve.selectors import Selectable

    catalog = project.catalog
    return Selectable.of(catalog.toolsets, catalog.catalogs, list(catalog.tags))


@dataclass(frozen=True)
class Used:
    """The tools of an agent, or all where there is no agent and the name is empty: in words, and where that is."""

    agent: str
    what: str
    place: SpecPlace
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


_MEASURED: Final = "openai"
"""The provider whose requests are measured; those of others differ by a few bytes for each tool."""

_LISTS_ALL: Final = "enumerate-all"

_NUMBERS: Final = count()
"""Packages are known by name for the life of a process."""


@dataclass(frozen=True)
class Offer:
    """One tool as providers take it.

    `problems` are why a provider cannot take it, with the provider; `looser` the keywords that one does not enforce,
    of those that combine schemas; `bytes` its size in a request, as compact JSON in UTF-8, or 0 if it cannot be in one.
    """

    problems: list[tuple[str, OfferProblem]]
    looser: list[tuple[str, str]]
    bytes: int


def offers(project: Project) -> dict[str, Offer]:
    """Return how the providers that are checked take each tool of the project, except those that discover others."""
    return project.once(_offers)


def bytes_of(project: Project, tool: Tool) -> int:
    """Return the bytes of one tool in a request, as compact JSON in UTF-8; 0 for those that discover others."""
    return project.once(_sizes).get(tool.ident, 0)


def surfaces(project: Project, agent: str) -> Iterator[tuple[str, Sequence[str], int]]:
    """Yield each presentation of the configuration, its layers, and the bytes of an agent's tools in a first request.

    As `toolgen stats` has them; a presentation that the target lacks something for is left out. Where all tools are
    listed, the sizes that are known of each are added up.
    """
    from toolgen.compiler.emit.catalog_json import emit_catalog_json
    from toolgen.compiler.emit.python.actions import emit_actions
    from toolgen.llm.costs import costs
    from toolgen.llm.tool_use import idle_runtime, presentations_in

    config = project.config.tool_use
    with loaded(emit_catalog_json(project.catalog), emit_actions(project.catalog)) as catalog:
        presented = presentations_in(catalog, config)
        chosen: dict[PresentationName, None] = dict.fromkeys(presented.values())
        if _LISTS_ALL in chosen and (size := _listed(project, idle_runtime(catalog).start_run(agent))):
            yield _LISTS_ALL, [layer for layer in LAYERS if presented[layer] == _LISTS_ALL], size
        others: list[PresentationName] = [each for each in chosen if each != _LISTS_ALL]
        for cost in costs("", catalog, config, agent, [_MEASURED], None, others):
            if not cost.problem:
                yield cost.presentation, cost.layers, cost.bytes


def _listed(project: Project, run: Run) -> int:
    """Return the bytes of a list of all tools of a run; 0 if there are none, or one that cannot be in a request."""
    sizes = [project.once(_sizes).get(ident, 0) for ident in run.effective.offered]
    brackets, commas = 2, len(sizes) - 1
    return sum(sizes) + brackets + commas if sizes and all(sizes) else 0


@contextmanager
def loaded(catalog: str, modules: Mapping[str, str]) -> Iterator[LoadedCatalog]:
    """Load the text of a `catalog.json` as a runtime does, from a package with the modules of its action catalogs only.

    The modules, by path, are generated from specs: those of another's package must not be imported. What was built last
    may be of other specs.
    """
    from toolgen.runtime.catalog.catalog import Catalog

    name = f"toolgen_surface_{next(_NUMBERS)}"
    files = {"__init__.py": "", "catalogs/__init__.py": "", "catalog.json": catalog, **modules}
    with TemporaryDirectory() as folder:
        for path, text in files.items():
            write_inside(folder, f"{name}/{path}", text.encode())
        locate(name, Path(folder, name), files)
        try:
            yield Catalog(name, catalog.encode())
        finally:
            forget(name)


def _offers(project: Project) -> dict[str, Offer]:
    names = project.config.lint.providers
    found = project.of_each_tool("offers", lambda each: _offer(each.tool, names), names)
    return {
        ident: Offer(
            problems=[(name, OfferProblem(*problem)) for name, problem in each["problems"]],
            looser=[(name, keyword) for name, keyword in each["looser"]],
            bytes=each["bytes"],
        )
        for ident, each in found.items()
        if ident not in DISCOVERY
    }


def _offer(tool: Tool, names: Sequence[str]) -> dict[str, Any]:
    """Return the offer of one tool, as JSON."""
    args = model_args_schema(tool.args.json, tool.inject)
    problems: list[Any] = []
    looser: list[Any] = []
    for name in names:
        payload = _payload(tool, args, name)
        problems += [(name, (each.tool, each.reason, each.pointer)) for each in payload.problems]
        looser += [
            (name, each.keyword)
            for each in payload.differences
            if each.effect == "looser" and each.keyword in ("", *APPLICATORS)
        ]
    return {"problems": problems, "looser": looser, "bytes": _bytes_of(_payload(tool, args, _MEASURED))}


def _payload(tool: Tool, args: Mapping[str, Any], name: str) -> ToolPayload:
    """Return one tool in a request to a provider."""
    to = provider(name)
    offered = OfferedTool(
        name=provider_tool_name(tool.ident, tool.wire_name or wire_name(tool.ident), to),
        description=tool.description,
        args=args,
        title=tool.title,
        permission=tool.permission.value,
    )
    return to.tools([offered])


def _bytes_of(payload: ToolPayload) -> int:
    listed = payload.fields.get("tools", [])
    return sum(len(compact_json(each).encode()) for each in listed)


def _sizes(project: Project) -> dict[str, int]:
    sizes = {ident: each.bytes for ident, each in offers(project).items()}
    for tool in project.catalog.tools:
        if tool.ident not in sizes and tool.ident not in DISCOVERY:
            args = model_args_schema(tool.args.json, tool.inject)
            sizes[tool.ident] = _bytes_of(_payload(tool, args, _MEASURED))
    return sizes
