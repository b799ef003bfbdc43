"""The contract: tools as they were compiled, held against what the server offers on each connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.drift import TOOL_ADDED, CompiledTool, compare_tool, compare_tools, removed_tool
from toolgen.changes.suspicions import OtherTools, Reviewed, suspicions_of
from toolgen.changes.tool_texts import digest_of, texts_of
from toolgen.schema.args import with_one_of, without_fields
from toolgen.schema.drafts import is_old
from toolgen.schema.json_values import is_object
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    from toolgen.changes.rules import Change
    from toolgen.changes.suspicions import Suspicion
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.spec.tool_settings import ToolSettings


_PARTS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""What is compared of a tool; servers may change the rest, such as icons, with each list."""


class Contract:
    """The compiled tools of a toolset, by ident; `changes` are those of each, as of the last list of tools."""

    def __init__(
        self, definitions: Mapping[str, ToolDefinition], others: Callable[[], OtherTools] = OtherTools
    ) -> None:
        self._definitions, self._others = definitions, others
        self._compiled = {ident: compiled_tool(definition) for ident, definition in definitions.items()}
        self._listed: Sequence[Mapping[str, Any]] | None = None
        self._by_name: dict[str, list[Mapping[str, Any]]] = {}
        self._changes: dict[str, tuple[Change, ...]] = {}

    def changes(self, ident: str, listed: Sequence[Mapping[str, Any]]) -> tuple[Change, ...]:
        """Return what changed of a tool in a list; compared at the first call after the list came."""
        if listed is not self._listed:
            self._listed, self._changes = listed, {}
            self._by_name = {}
            for tool in listed:
                self._by_name.setdefault(tool["name"], []).append(tool)
        if ident not in self._changes:
            self._changes[ident] = self._compared(ident)
        return self._changes[ident]

    def digest(self, ident: str) -> str:
        """Return a digest of all that the last list has of a tool and a person would decide about."""
        offered = self._by_name.get(self._compiled[ident].name, ())
        parts = [{part: each.get(part) for part in _PARTS} for each in offered]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def suspicions(self, ident: str) -> list[Suspicion]:
        """Return what is suspicious in the texts that a tool of the last list has, and no compiled tool had."""
        compiled = self._compiled[ident]
        offered = self._by_name.get(compiled.name, ())
        others = self._others()
        reviewed = _reviewed(self._compiled.values())
        return [one for each in offered for one in _suspicions_in(each, compiled, reviewed, others)]

    def _compared(self, ident: str) -> tuple[Change, ...]:
        compiled = self._compiled[ident]
        offered = self._by_name.get(compiled.name)
        if offered is None:
            return (removed_tool(compiled),)
        settings = self._definitions[ident].settings
        return tuple(
            change for each in offered for change in compare_tool(compiled, as_specified(each, settings))
        )  # of a tool that is listed twice, either may be the one that is called


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedOffer:
    """How all tools that a server offers differ from those that were compiled, sorted by tool.

    `left_out` are names of offered tools that were not compiled, and would not be after another import: no change.
    """

    changes: tuple[Change, ...]
    left_out: tuple[str, ...]


def compared_offer(
    definitions: Sequence[ToolDefinition],
    offered: Sequence[Mapping[str, Any]],
    left_out_at_import: Callable[[], Collection[str]] = tuple,
) -> ComparedOffer:
    """Compare all tools that a server offers with those that were compiled.

    `left_out_at_import` returns the names of those that an import would not add; it is called if there are new ones.
    """
    compiled = [compiled_tool(definition) for definition in definitions]
    settings = {tool.name: definition.settings for tool, definition in zip(compiled, definitions, strict=True)}
    specified = [as_specified(tool, settings[tool["name"]]) if tool["name"] in settings else tool for tool in offered]
    changes = compare_tools(compiled, specified)
    new = {change.subject for change in changes if change.code == TOOL_ADDED}
    left_out = new.intersection(left_out_at_import()) if new else frozenset[str]()
    kept = (change for change in changes if change.code != TOOL_ADDED or change.subject not in left_out)
    return ComparedOffer(changes=tuple(kept), left_out=tuple(sorted(left_out)))


def suspicions_among(
    definitions: Sequence[ToolDefinition],
    offered: Sequence[Mapping[str, Any]],
    changes: Iterable[Change],
    others: OtherTools,
) -> list[Suspicion]:
    """Return what is suspicious in the texts of offered tools that changes are about, and no compiled tool had."""
    changed = {change.subject for change in changes}
    compiled = {tool.name: tool for tool in map(compiled_tool, definitions)}
    reviewed = _reviewed(compiled.values())
    return [
        suspicion
        for tool in offered
        if tool["name"] in changed
        for suspicion in _suspicions_in(tool, compiled.get(tool["name"]), reviewed, others)
    ]


def _suspicions_in(
    offered: Mapping[str, Any], compiled: CompiledTool | None, reviewed: Reviewed, others: OtherTools
) -> list[Suspicion]:
    if compiled is not None and compiled.imported == digest_of(*texts_of(offered)):  # a person may have edited them
        offered = {**offered, "title": None, "description": None}
    return suspicions_of(offered, reviewed, others)


def _reviewed(toolset: Iterable[CompiledTool]) -> Reviewed:
    texts = ((each.name, each.title, each.description, each.args, each.result, each.annotations) for each in toolset)
    return Reviewed(*texts)


def other_tools(catalog: Catalog, toolset: str) -> OtherTools:
    """Return the tools of the other toolsets of a catalog."""
    names = {name: tools for name, tools in catalog.toolsets.items() if name != toolset}
    return OtherTools({name: map(source_name, map(catalog.definition, tools)) for name, tools in names.items()})


def as_specified(offered: Mapping[str, Any], settings: ToolSettings) -> Mapping[str, Any]:
    """Return an offered tool with what its spec changes in the args: injected fields, and `one_of`."""
    injected, one_of = settings.inject, settings.one_of
    args = offered.get("inputSchema")
    if not (injected or one_of) or not is_object(args):
        return offered
    if injected:
        args = without_fields(args, injected, is_old=is_old(args))
    return {**offered, "inputSchema": with_one_of(args, one_of)}


def source_name(definition: ToolDefinition) -> str:
    """Return the name of a tool at its source, which is its key unless the spec says otherwise."""
    return definition.settings.source_name or definition.name.rpartition(".")[2]


def compiled_tool(definition: ToolDefinition) -> CompiledTool:
    """Return a compiled tool as it is compared with its server's."""
    settings = definition.settings
    name = source_name(definition)
    has_result = definition.result_schema not in (None, {}, True) and settings.result_inferred is None
    return CompiledTool(
        name=name,
        args=definition.input_schema,
        result=definition.result_schema if has_result else (True if settings.imported else None),
        title="" if definition.title == title_of_name(name) else definition.title,
        description=definition.description,
        imported=settings.imported,
        annotations={} if settings.annotations is None and settings.imported else settings.annotations,
    )
