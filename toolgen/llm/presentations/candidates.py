"""Candidates: the tools that a model may be told of in one run, and what it may be told of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolgen.llm.presentations.protocol import ToolListing
from toolgen.providers.messages import OfferedTool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One tool. `name` is how the provider spells it; `args` a JSON Schema of an object, `result` one of anything."""

    ident: str
    name: str
    title: str
    description: str
    permission: str
    tags: frozenset[str]
    args: Mapping[str, Any]
    result: Any

    @property
    def short_description(self) -> str:
        """The first line of its description."""
        return self.description.strip().partition("\n")[0].strip()

    @property
    def offered(self) -> OfferedTool:
        """As a model is told of it in the list of tools."""
        return OfferedTool(
            name=self.name,
            description=self.description,
            args=self.args,
            title=self.title,
            is_readonly=self.permission == "readonly",
        )


class Candidates:
    """Tools by ident, in its order; each is read when it is first looked at. Runs of one effective set share it."""

    def __init__(self, idents: Iterable[str], read: Callable[[str], Candidate], spell: Callable[[str], str]) -> None:
        """Take the idents, what reads one, and what spells one for the provider."""
        self._idents = dict.fromkeys(sorted(idents))
        self.idents = frozenset(self._idents)
        self._read = read
        self._spell = spell
        self._found: dict[str, Candidate] = {}

    def __contains__(self, ident: object) -> bool:
        return ident in self._idents

    def __iter__(self) -> Iterator[str]:
        return iter(self._idents)

    def __len__(self) -> int:
        return len(self._idents)

    def __getitem__(self, ident: str) -> Candidate:
        """Give one tool. Raises KeyError for one that is no candidate."""
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
        return tuple(self[ident].offered for ident in idents)
