"""Known tools: every name that tools go by, and which of them a name may mean, to people and in recordings.

A model calls a tool by its ident or its wire name, and by nothing else: that is `Catalog.resolve`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable


class KnownTool(NamedTuple):
    """The names of one tool. `source_name` is what it is called at its source, for most of them the key."""

    ident: str
    wire_name: str
    source_name: str

    @property
    def key(self) -> str:
        """The last part of the ident."""
        return self.ident.rpartition(".")[2]


class KnownTools:
    """Tools by every name that they go by."""

    def __init__(self, tools: Iterable[KnownTool]) -> None:
        idents: dict[str, dict[str, None]] = {}
        wire_names: dict[str, dict[str, None]] = {}
        others: dict[str, dict[str, None]] = {}
        for tool in tools:
            idents[tool.ident] = {tool.ident: None}
            wire_names.setdefault(tool.wire_name, {})[tool.ident] = None
            for name in (tool.source_name, tool.key):
                others.setdefault(name, {})[tool.ident] = None
        self._tables = (idents, wire_names, others)

    def find(self, name: str) -> tuple[str, ...]:
        """Give the idents of the tools that a name may mean.

        An ident means its tool, and a wire name its own, whatever else is called so. Any other name means every tool
        that is called so at its source, or has it as its key.
        """
        return next((tuple(table[name]) for table in self._tables if name in table), ())

    def nearest(self, name: str) -> tuple[str, ...]:
        """Give the idents of the tools with a name that resembles this one, best first."""
        names = {known for table in self._tables for known in table}
        return tuple(dict.fromkeys(ident for known in nearest(name, sorted(names)) for ident in self.find(known)))
