"""Candidates: the tools that a model may be told of in one run."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from toolgen.llm.presentations.protocol import ToolListing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from toolgen.providers.messages import OfferedTool


class Candidates:
    """Tools by ident, in its order; each is read when it is first looked at. Runs of one effective set share it."""

    def __init__(self, idents: Iterable[str], read: Callable[[str], OfferedTool], spell: Callable[[str], str]) -> None:
        """Take the idents, what reads one, and what spells one for the provider."""
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
        """Return one tool. Raises KeyError for one that is no candidate."""
        found = self._found.get(ident)
        if found is None:
            if ident not in self._idents:
                raise KeyError(ident)
            found = self._found[ident] = self._read(ident)
        return found

    @cached_property
    def by_name(self) -> Mapping[str, str]:
        """The ident of each spelling."""
        return {self._spell(ident): ident for ident in self._idents}

    @cached_property
    def flat(self) -> ToolListing:
        """All of them, as a model is told that is shown every tool."""
        return ToolListing(tools=self.offered(self), dispatchable=self)

    def offered(self, idents: Iterable[str]) -> tuple[OfferedTool, ...]:
        """Tools as a model is told of them."""
        return tuple(self[ident] for ident in idents)
