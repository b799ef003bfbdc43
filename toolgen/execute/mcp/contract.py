"""The contract: tools as they were compiled, held against what the server offers on each connection."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.drift import (
    MOST_COMPARED,
    TOOL_ADDED,
    CompiledTool,
    compare_tool,
    compare_tools,
    is_larger,
    removed_tool,
)
from toolgen.changes.rules import Change
from toolgen.changes.suspicions import OtherTools, Reviewed, Suspicion, suspicions_of
from toolgen.changes.tool_texts import has_schemas, has_texts, texts_of
from toolgen.schema.args import with_one_of, without_fields
from toolgen.schema.drafts import is_old
from toolgen.schema.json_values import is_object
from toolgen.spec.text import cut
from toolgen.spec.wire_names import title_of_name

if TYPE_CHECKING:
    import asyncio

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.spec.tool_settings import ToolSettings


_QUICK: Final = 20_000
"""Characters of a tool that is compared in the event loop, which takes some milliseconds; a larger one in a thread."""

_TOLD: Final = 20
_LONGEST_SUMMARY: Final = 500
_LONGEST_DIFF: Final = 100_000
"""Changes and suspicions of a tool that a call tells of, the characters of one, and of all in a diff."""

_PARTS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
"""What is compared of a tool; servers may change the rest, such as icons, with each list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How the last list has a tool otherwise than it was compiled.

    `suspicions` are in texts that no compiled tool had. `digest` is that of all that the list has of the tool and a
    person would decide about. `summaries` and `diff` tell the first of the changes.
    """

    ident: str
    changes: tuple[Change, ...]
    suspicions: tuple[Suspicion, ...]
    digest: str
    summaries: tuple[str, ...]
    diff: str

    @property
    def key(self) -> tuple[str, str]:
        """What an answer is for."""
        return self.ident, self.digest


class Contract:
    """The compiled tools of a toolset, by ident. It is the same for all lists of the server, and for all threads."""

    def __init__(
        self, definitions: Mapping[str, ToolDefinition], others: Callable[[], OtherTools] = OtherTools
    ) -> None:
        self._definitions, self._others = definitions, others
        self.compiled = {ident: compiled_tool(definition) for ident, definition in definitions.items()}

    def changes(self, ident: str, offered: Sequence[Mapping[str, Any]]) -> Iterator[Change]:
        """Yield how a tool differs from what a list has of it. If it has several, any may be the one that is called."""
        compiled = self.compiled[ident]
        if not offered:
            yield removed_tool(compiled)
        settings = self._definitions[ident].settings
        for each in offered:
            yield from compare_tool(compiled, as_specified(each, compiled, settings))

    def drift(self, ident: str, offered: Sequence[Mapping[str, Any]]) -> Drift | None:
        """Return the same with what is suspicious; None for no change. It may take a second."""
        changes = tuple(self.changes(ident, offered))
        if not changes:
            return None
        compiled = self.compiled[ident]
        others = self._others()
        suspicions = (one for each in offered for one in _suspicions_in(each, compiled, self._reviewed, others))
        parts = [{part: each.get(part) for part in _PARTS} for each in offered]
        told = [*map(Change.summary, changes[:_TOLD])]
        if len(changes) > _TOLD:
            told.append(f"and {len(changes) - _TOLD:,} more changes")
        return Drift(
            ident=ident,
            changes=changes,
            suspicions=tuple(islice(suspicions, _TOLD)),
            digest=sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(),
            summaries=tuple(cut(each, _LONGEST_SUMMARY) for each in told),
            diff=cut("\n".join(map(Change.diff, changes[:_TOLD])), _LONGEST_DIFF),
        )

    @cached_property
    def _reviewed(self) -> Reviewed:
        return _reviewed(self.compiled.values())


class Offer:
    """A list of tools of the server, on a connection of one event loop, and how it differs from the contract."""

    def __init__(self, contract: Contract, listed: Sequence[Mapping[str, Any]]) -> None:
        self.listed = listed
        self._contract = contract
        self._by_name: dict[str, list[Mapping[str, Any]]] = {}
        for tool in listed:
            self._by_name.setdefault(tool["name"], []).append(tool)
        self._drifts: dict[str, Drift | None] = {}
        self._comparing: dict[str, asyncio.Future[Drift | None]] = {}

    def is_compared(self, ident: str) -> bool:
        """Whether a tool was compared with what the list has of it. A small one that did not change is, by this."""
        if ident not in self._drifts:
            offered = self._offered(ident)
            if not is_larger(offered, _QUICK) and next(self._contract.changes(ident, offered), None) is None:
                self._drifts[ident] = None
        return ident in self._drifts

    async def compare(self, ident: str) -> None:
        """Compare a tool in a thread; calls that want the same at the same time wait for one comparison."""
        import asyncio  # few tools change

        comparing = self._comparing.get(ident)
        if comparing is None:
            offered = self._offered(ident)
            comparing = asyncio.ensure_future(asyncio.to_thread(self._contract.drift, ident, offered))
            comparing.add_done_callback(lambda _: self._comparing.pop(ident, None))
            self._comparing[ident] = comparing
        self._drifts[ident] = await asyncio.shield(comparing)  # one that gives up ends it for no other

    def drift(self, ident: str) -> Drift | None:
        """Return how a tool that was compared differs; None if it does not."""
        return self._drifts[ident]

    def _offered(self, ident: str) -> list[Mapping[str, Any]]:
        return self._by_name.get(self._contract.compiled[ident].name, [])


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
    known = {tool.name: tool for tool in compiled}
    specified = [
        as_specified(tool, known[name], settings[name]) if (name := tool["name"]) in known else tool for tool in offered
    ]
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
    if compiled is not None and has_texts(compiled.imported, *texts_of(offered)):  # a person may have edited them
        offered = {**offered, "title": None, "description": None}
    if is_larger(offered, MOST_COMPARED):
        message = f"the tool has more than {MOST_COMPARED:,} characters, which are not searched"
        return [Suspicion(code="TG816", tool=offered["name"], pointer=(), message=message, fix="shorten it")]
    return suspicions_of(offered, reviewed, others)


def _reviewed(toolset: Iterable[CompiledTool]) -> Reviewed:
    texts = ((each.name, each.title, each.description, each.args, each.result, each.annotations) for each in toolset)
    return Reviewed(*texts)


def other_tools(catalog: Catalog, toolset: str) -> OtherTools:
    """Return the tools of the other toolsets of a catalog."""
    names = {name: tools for name, tools in catalog.toolsets.items() if name != toolset}
    return OtherTools({name: map(source_name, map(catalog.definition, tools)) for name, tools in names.items()})


def as_specified(offered: Mapping[str, Any], compiled: CompiledTool, settings: ToolSettings) -> Mapping[str, Any]:
    """Return an offered tool with what its spec changes in schemas and annotations.

    That is all that people edited, where the server has not changed these since the import; otherwise what the settings
    do with the args: injected fields, and `one_of`.
    """
    if has_schemas(compiled.imported, offered):
        edited = {"inputSchema": compiled.args, "outputSchema": compiled.result, "annotations": compiled.annotations}
        described = {key: value for key, value in edited.items() if value not in (None, True)}
        return {key: value for key, value in offered.items() if key not in edited} | described
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
