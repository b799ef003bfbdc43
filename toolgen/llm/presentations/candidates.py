"""Candidates: the tools that may be shown to a model in one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgen.llm.presentations.protocol import ToolListing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from toolgen.providers.messages import OfferedTool


class Candidates:
    """Tools by ident, in order, loaded on access. Runs with the same effective set share it."""

    def __init__(self, idents: Iterable[str], read: Callable[[str], OfferedTool], spell: Callable[[str], str]) -> None:
        """Take the idents, a function that loads one, and a function that returns its name for the provider."""
        self._idents = dict.fromkeys(sorted(idents))
        self.idents = frozenset(self._idents)
        self._read = read
        self._spell = spell
        self._found: dict[str, OfferedTool] = {}

    def __contains__(self, ident: object) -> bool:
        return ident in self._idents

    def __iter__(self) -> Iterator[str]:
        return iter(self._idents)

    def __len__(self) -> int:
        return len(self._idents)

    def __getitem__(self, ident: str) -> OfferedTool:
        """Return one tool. Raises KeyError if it is not a candidate."""
        found = self._found.get(ident)
        if found is None:
            if ident not in self._idents:
                raise KeyError(ident)
            found = self._found[ident] = self._read(ident)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """The idents by provider names."""
        return {self._spell(ident): ident for ident in self._idents}

    @cached_property
    def flat(self) -> ToolListing:
        """The tool listing of all candidates."""
        return ToolListing(tools=self.offered(self), dispatchable=self)

    def offered(self, idents: Iterable[str]) -> tuple[OfferedTool, ...]:
        """Return the offered tools of some idents."""
        return tuple(self[ident] for ident in idents)
