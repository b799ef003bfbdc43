"""Summary: the tools of a target in short, for commands that list them or show one, without compiling anything.

It is found by the digests of all inputs. A toolset whose shapes are asked for comes from its own entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.ir.catalog import Part, joined
from toolgen.spec.text import first_line
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostic, Span
    from toolgen.compiler.ir.catalog import Catalog, Policy, Toolset
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Target

_KIND: Final = "summary"
TOOLSETS: Final = "toolset"
"""The kind of the entries of `ToolsetCache`."""


@dataclass(frozen=True, slots=True)
class PieceKey:
    """What a piece of a toolset file is found by: its place in the cache, and the digest of what it depends on.

    `first` is the line of the file where it begins, which determines nothing else.
    """

    place: str
    depends: str
    first: int

    @property
    def digest(self) -> str:
        """A digest of all that determines the piece."""
        return f"{self.place}-{self.depends}"


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool, as lists show it, with the names that it is found by. `description` is the first line of its own."""

    ident: str
    toolset: str
    kind: str
    wire_name: str
    source_name: str
    title: str
    description: str
    permission: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The tools of a target, sorted by ident, and its policies. `keys` are those of each toolset in the cache."""

    tools: tuple[ListedTool, ...]
    policies: tuple[Policy, ...]
    keys: Mapping[str, tuple[PieceKey, ...]]


def summary_of(catalog: Catalog, keys: Mapping[str, tuple[PieceKey, ...]]) -> Summary:
    """Return the summary of a compiled target."""
    tools = [
        ListedTool(
            ident=tool.ident,
            toolset=toolset.name,
            kind=toolset.kind.value,
            wire_name=tool.wire_name or wire_name(tool.ident),
            source_name=tool.remote or tool.key,
            title=tool.title,
            description=first_line(tool.description),
            permission=tool.permission.value,
            tags=tool.tags,
        )
        for toolset in catalog.toolsets
        for tool in toolset.tools
    ]
    return Summary(tuple(sorted(tools, key=lambda tool: tool.ident)), catalog.policies, keys)


def keep_summary(cache: Cache, key: str, summary: Summary) -> None:
    """Keep a summary, under the key that `summary_key` gives."""
    cache.put(_KIND, key, to_json(summary))


def recall_summary(cache: Cache, key: str) -> Summary | None:
    """Return the summary of a target that was compiled from equal inputs; None if there is none."""
    value = cache.get(_KIND, key)
    return None if value is None else from_json(Summary, value)


def summary_key(target: Target, settings: str, specs: Mapping[str, str]) -> str:
    """Return a digest of all inputs of a target; `specs` are the digests of its files, by path."""
    return sha256(json.dumps([settings, asdict(target), sorted(specs.items())]).encode()).hexdigest()


# The toolset of an entry, or of those of its pieces. Lines are kept as they were, and moved when the piece has moved.


def recall_toolset(cache: Cache, keys: Sequence[PieceKey]) -> Toolset | None:
    """Return a toolset by the keys of its pieces; None if one is not there any more."""
    parts: list[Part] = []
    for key in keys:
        entry = cache.look(TOOLSETS, key.place)
        if entry is None or entry["depends"] != key.depends:
            return None
        parts.append(part_of(entry, key.first))
    return joined(parts[0], parts[1:]) if parts[1:] else parts[0].toolset


def part_of(entry: Mapping[str, Any], first: int) -> Part:
    """Return the part of an entry, which is used up. `first` is the line where its piece begins now."""
    part = from_json(Part, entry["part"])
    if first == entry["first"]:
        return part
    tools = tuple(replace(tool, span=_moved(tool.span, entry, first)) for tool in part.toolset.tools)
    return replace(part, toolset=replace(part.toolset, tools=tools))


def moved(found: Diagnostic, entry: Mapping[str, Any], first: int) -> Diagnostic:
    """Return a finding of an entry where it is now."""
    file = found.span.file
    related = (
        replace(each, span=_moved(each.span, entry, first)) if each.span.file == file else each
        for each in found.related
    )
    return replace(found, span=_moved(found.span, entry, first), related=tuple(related))


def _moved(span: Span, entry: Mapping[str, Any], first: int) -> Span:
    """Return a place in the file of an entry where it is now. What is above all tools is where it was."""
    by = first - entry["first"] if span.line >= entry["behind"] else 0
    return replace(span, line=span.line + by, end_line=span.end_line + by)
