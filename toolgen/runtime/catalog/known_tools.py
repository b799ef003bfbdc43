"""Known tools: resolution of all names of tools, for people and recordings.

A model calls a tool only by its ident or its wire name: see `Catalog.resolve`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from toolgen.providers.spellings import SpelledTool


class KnownTools:
    """Tools by all their names."""

    def __init__(self, tools: Iterable[SpelledTool]) -> None:
        idents: dict[str, dict[str, None]] = {}
        wire_names: dict[str, dict[str, None]] = {}
        others: dict[str, dict[str, None]] = {}
        for tool in tools:
            idents[tool.ident] = {tool.ident: None}
            wire_names.setdefault(tool.wire_name, {})[tool.ident] = None
            for name in (tool.source_name, tool.ident.rpartition(".")[2]):
                others.setdefault(name, {})[tool.ident] = None
        self._tables = (idents, wire_names, others)

    def find(self, name: str) -> tuple[str, ...]:
        """Return the idents of the tools that a name may refer to.

        An ident or a wire name refers to its tool only. Any other name refers to every tool with this source name or
        key.
        """
        return next((tuple(table[name]) for table in self._tables if name in table), ())

    def below(self, name: str) -> tuple[str, ...]:
        """Return the idents of the tools of a toolset, or of all toolsets whose names begin with a name and a dot."""
        return tuple(sorted(ident for ident in self._tables[0] if ident.startswith(f"{name}.")))

    def nearest(self, name: str) -> tuple[str, ...]:
        """Return the idents of the tools with a similar name, best first."""
        names = {known for table in self._tables for known in table}
        return tuple(dict.fromkeys(ident for known in nearest(name, sorted(names)) for ident in self.find(known)))
