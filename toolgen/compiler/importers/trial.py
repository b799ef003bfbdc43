"""Trial: resolves a tool to check that it can be built, and which fields need other names in Python."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.documents import read_documents
from toolgen.compiler.importers.bounds import Making
from toolgen.compiler.importers.offer import OfferedTool, mapping, scalar
from toolgen.compiler.ir.shapes import ClassType
from toolgen.compiler.resolve import resolve
from toolgen.compiler.resolve.names import attribute
from toolgen.compiler.source.read import SpecFile, parse

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.source.nodes import MappingNode, Node

_KEY: Final = "tool"
_HASH_LENGTH: Final = 6


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The context of the trials of one import: the toolset, the build settings of its target, and what they took."""

    toolset: str
    kind: str
    dialect: str
    profile: str
    making: Making = field(default_factory=Making)


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome: errors, warnings, and the fields to rename."""

    errors: Sequence[Diagnostic]
    warnings: Sequence[Diagnostic]
    rename: Mapping[str, str]

    def offered(self, name: str, nodes: Mapping[str, Node], hints: Mapping[str, Any]) -> OfferedTool:
        """Return the tool that was tried, under its name at the source."""
        spec = {key: node.to_data() for key, node in nodes.items()}
        return OfferedTool(name, {**spec, **({"rename": dict(self.rename)} if self.rename else {})}, hints)


def try_name(toolset: str, kind: str) -> list[str]:
    """Return why a toolset cannot have a name; empty if it can."""
    sink = Diagnostics()
    text = json.dumps({"toolgen": 1, "toolset": toolset, "kind": kind, "tools": {}})
    root = parse(text, "name.json", sink)
    documents = [] if root is None else read_documents([SpecFile("name.json", text, root)], sink)
    resolve(documents, sink, profile="full", formats="annotate")
    return [f"{found.message}; {found.fix}" if found.fix else found.message for found in sink]


def try_tool(tool: MappingNode, rename: Mapping[str, str], context: TrialContext) -> Trial:
    """Resolve one tool. `rename` are existing renamed fields of a spec; those that still exist are kept.

    Raises `TooMuch` where the tools of the import are too large together.
    """
    context.making.made(tool)
    catalog, tried = _resolve(tool, {}, context)
    renamed = _renamed(catalog, rename)
    if renamed:
        _, tried = _resolve(tool, renamed, context)
    return replace(tried, rename=renamed)


def _resolve(tool: MappingNode, rename: Mapping[str, str], context: TrialContext) -> tuple[Catalog, Trial]:
    """Resolve a spec with only this tool, built from the nodes of the source, so that findings have their spans."""
    entries = dict(tool.entries())
    if rename:
        entries["rename"] = mapping(tool, {wire: scalar(tool, python) for wire, python in rename.items()})
    head: dict[str, Any] = {
        "toolgen": 1,
        "toolset": context.toolset,
        "kind": context.kind,
        "dialect": context.dialect,
    }
    values = {name: scalar(tool, value) for name, value in head.items()}
    root = mapping(tool, {**values, "tools": mapping(tool, {_KEY: mapping(tool, entries)})})
    sink = Diagnostics()
    documents = read_documents([SpecFile(tool.source.path, tool.source.text, root)], sink)
    catalog = resolve(documents, sink, profile=context.profile, formats="annotate")
    errors = [found for found in sink if found.severity is Severity.ERROR]
    return catalog, Trial(errors, [found for found in sink if found.severity is Severity.WARNING], {})


def _renamed(catalog: Catalog, rename: Mapping[str, str]) -> dict[str, str]:
    """Return new Python names for conflicting fields, in addition to existing ones."""
    classes = [made for toolset in catalog.toolsets for made in toolset.types if isinstance(made, ClassType)]
    wires = [[field.wire for field in made.fields] for made in classes]
    names = {wire: rename[wire] for fields in wires for wire in fields if wire in rename}
    for fields in wires:
        names.update(_disambiguate(fields, names))
    return names


def _disambiguate(wires: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return names for conflicting fields of an object. Renamed fields take precedence, then exact names."""
    taken: set[str] = set()
    new: dict[str, str] = {}
    for wire in sorted(wires, key=lambda wire: (wire not in names, attribute(wire).rstrip("_") != wire.rstrip("_"))):
        python = names.get(wire, attribute(wire))
        if python in taken:
            digest = hashlib.sha256(wire.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
            python = new[wire] = f"{attribute(wire).rstrip('_')}_{digest}"
        taken.add(python)
    return new
