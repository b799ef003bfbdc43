"""Spellings: every name that rules and settings may call a tool by, and which idents a selector means by it.

Rules and settings are resolved here once, and only the ident counts from there on.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolgen.contract.qualified import SEPARATOR
from toolgen.providers.stubs.stub import python_function_name
from toolgen.providers.table import PROVIDERS, provider, spelled
from toolgen.spec.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


class SpelledTool(NamedTuple):
    """One tool as its package spells it. `python_name` is dotted, empty where no Python was generated.

    `others` are many-to-one names: that of its MCP server, and the prefix of its tag.
    """

    ident: str
    wire_name: str
    python_name: str = ""
    others: tuple[str, ...] = ()


class SpelledAction(NamedTuple):
    """An entry of an action catalog by its qualified name, or a category of the host's entries, which ends in `__`.

    One that is `plain` passes its args on as they are.
    """

    name: str
    target: str
    is_plain: bool


class ToolNames:
    """The names of the tools of one catalog. `spelled` and `actions` are called when a name is no ident."""

    def __init__(
        self,
        idents: Collection[str],
        toolsets: Collection[str],
        spelled: Callable[[], Iterable[SpelledTool]],
        actions: Callable[[], Iterable[SpelledAction]],
    ) -> None:
        self._idents = idents
        self._toolsets = toolsets
        self._spelled = spelled
        self._actions = actions

    def meant(self, selector: str, *, restricts: bool) -> tuple[str, ...]:
        """Return the selectors by ident or toolset that a selector means; none where its name means no tool.

        A selector that `restricts` means every tool that its name may mean. Any other means an ident, a toolset or a
        pattern of idents, or the one tool that its name certainly means; an action with args of its own is not that,
        because allowing it would allow its target with any args.
        """
        name, *tags = selector.split("+")
        found = [name] if self._is_own(name) else []
        if name not in self._idents:
            others = self._possible(name) if restricts else self._certain(name)
            if restricts or (not found and len(others) == 1):
                found += [ident for ident in others if ident != name]
        return tuple("+".join((each, *tags)) for each in dict.fromkeys(found))

    def ident(self, name: str) -> str | None:
        """Return the ident of the one tool that a name certainly means; None where there is none."""
        if name in self._idents:
            return name
        certain = self._certain(name)
        return certain[0] if len(certain) == 1 else None

    @property
    def known(self) -> Iterable[str]:
        """The idents and the toolsets: what a name that means nothing may be a misspelling of."""
        return (*self._idents, *self._toolsets)

    def _is_own(self, name: str) -> bool:
        """Whether a name is one of a selector by itself: an ident, a toolset with tools, or a pattern of idents."""
        if not name or name in self._idents:
            return True
        if "*" not in name:
            return name in self._toolsets
        pattern = Selector.parse(name)
        return any(pattern.matches(ident, "", frozenset()) for ident in self._idents)

    def _certain(self, name: str) -> Sequence[str]:
        return () if "*" in name else self._one_to_one.get(name) or self._plain_aliases.get(name, ())

    def _possible(self, name: str) -> Sequence[str]:
        """Every tool with a spelling that a name or a pattern fits.

        Only patterns with `__`, which joins the parts of wire names and of actions, are about other names than idents:
        `*_all` is about idents alone.
        """
        tables = (self._one_to_one, self._plain_aliases, self._aliases)
        if "*" not in name:
            of_hosts = [target for action, target in self._resources if name.startswith(action)]
            return [*(ident for table in tables for ident in table.get(name, ())), *of_hosts]
        if SEPARATOR not in name:
            return ()
        pattern, start = Selector.parse(name), name.partition("*")[0]
        fitting = [
            ident
            for table in tables
            for spelling, idents in table.items()
            if pattern.matches(spelling, "", frozenset())
            for ident in idents
        ]
        return [*fitting, *(target for action, target in self._resources if start.startswith(action))]

    @cached_property
    def _one_to_one(self) -> Mapping[str, Sequence[str]]:
        """Wire names of every provider, and Python names."""
        providers = {each.grammar: each for each in map(provider, PROVIDERS)}.values()
        return _table(
            (spelling, tool.ident)
            for tool in self._tools
            for spelling in (
                tool.wire_name,
                *(spelled(tool.ident, tool.wire_name, each) for each in providers),
                python_function_name(tool.wire_name),
                tool.python_name,
            )
        )

    @cached_property
    def _plain_aliases(self) -> Mapping[str, Sequence[str]]:
        actions = ((action.name, action.target) for action in self._targets if action.is_plain)
        return _table([*actions, *((other, tool.ident) for tool in self._tools for other in tool.others)])

    @cached_property
    def _aliases(self) -> Mapping[str, Sequence[str]]:
        return _table((action.name, action.target) for action in self._targets if not action.is_plain)

    @cached_property
    def _resources(self) -> Sequence[tuple[str, str]]:
        return [(action.name, action.target) for action in self._targets if action.name.endswith(SEPARATOR)]

    @cached_property
    def _tools(self) -> Sequence[SpelledTool]:
        return list(self._spelled())

    @cached_property
    def _targets(self) -> Sequence[SpelledAction]:
        return list(self._actions())


def _table(names: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    found: dict[str, dict[str, None]] = {}
    for name, ident in names:
        if name:
            found.setdefault(name, {})[ident] = None
    return {name: tuple(idents) for name, idents in found.items()}
