"""Parts: a toolset with some of its tools, as it is resolved and kept, and the toolset that parts are joined to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolgen.compiler.ir.shapes import PACKAGE_MODULE, AliasType, ClassType

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Tool, Toolset


@dataclass(frozen=True, slots=True)
class Part:
    """A toolset with those of its tools that were resolved, and what is to know of it when parts are joined.

    `homes` are the files of the named types that it uses, and their names there, by their names here. `types` are those
    that the file declares, where the part has its head: all that belongs to no tool.
    """

    toolset: Toolset
    homes: Mapping[str, tuple[str, str]]
    types: tuple[str, ...] = ()


def joined(head: Part, parts: Sequence[Part]) -> Toolset:
    """Return the toolset of a head and of parts, in the order of the file, whose types of one name are the same."""
    types = {made.name: made for part in (*parts, head) for made in part.toolset.types}
    tools = sorted_tools(tool for part in (head, *parts) for tool in part.toolset.tools)
    return replace(head.toolset, tools=tools, types=tuple(sorted(types.values(), key=_rank)))


def sorted_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Return tools as a toolset has them."""
    return tuple(sorted(tools, key=lambda tool: tool.ident))


def _rank(made: ClassType | AliasType) -> tuple[bool, bool]:
    """Return what types are sorted by: classes first, and of both the own ones before shared ones."""
    return isinstance(made, AliasType), made.module == PACKAGE_MODULE
