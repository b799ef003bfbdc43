"""Names of tools: every name by which rules and settings may refer to a tool, resolved to selectors by ident.

Rules and settings are resolved here once; from there on only idents are used.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from toolgen.contract.ident import SEPARATOR
from toolgen.providers.table import PROVIDERS, provider, provider_tool_name
from toolgen.spec.selector import Selector


class SpelledTool(NamedTuple):
    """The names of one tool in its package. `python_name` is dotted, empty if no Python was generated.

    `source_name` is its name at its source, usually the last part of the ident; people and recordings use it. Rules
    and settings use `others`, which are many-to-one names too: that of its MCP server, and the prefix of its tag.
    """

    ident: str
    wire_name: str
    source_name: str = ""
    python_name: str = ""
    others: tuple[str, ...] = ()


class SpelledAction(NamedTuple):
    """An entry of an action catalog by its qualified name, or a category with entries of the host, which ends in `__`.

    A `plain` one passes its args on unchanged.
    """

    name: str
    target: str
    is_plain: bool


class ToolNames:
    """The names of the tools of one catalog. `spelled` and `actions` are called only if a name is not an ident."""

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

    def resolve_selector(self, selector: str, *, restricts: bool) -> tuple[Selector, ...]:
        """Resolve a selector to selectors by ident or toolset; empty if its name refers to no tool.

        A selector that `restricts` refers to every tool that its name may refer to. Any other refers to an ident, a
        toolset or a pattern of idents, or to the tool with that unique name; the name of an action with other args does
        not count, because allowing it would allow its target with any args.
        """
        name, *tags = selector.split("+")
        found = [Selector.parse(selector)] if self._is_own(name) else []
        if name not in self._idents:
            others = self._possible(name) if restricts else self._certain(name)
            if restricts or (not found and len(others) == 1):
                found += [Selector.of_tool(ident, tags) for ident in others if ident != name]
        return tuple(dict.fromkeys(found))

    def ident(self, name: str) -> str | None:
        """Return the ident of the tool with a unique name; None if there is none."""
        if name in self._idents:
            return name
        certain = self._certain(name)
        return certain[0] if len(certain) == 1 else None

    @property
    def known(self) -> Iterable[str]:
        """Return the idents and toolsets, for suggestions."""
        return (*self._idents, *self._toolsets)

    def _is_own(self, name: str) -> bool:
        """Whether a name is valid in a selector: an ident, a toolset with tools, or a pattern of idents."""
        if not name or name in self._idents:
            return True
        if "*" not in name:
            return name in self._toolsets
        pattern = Selector.parse(name)
        return any(pattern.matches(ident, "", frozenset()) for ident in self._idents)

    def _certain(self, name: str) -> Sequence[str]:
        return () if "*" in name else self._one_to_one.get(name) or self._plain_aliases.get(name, ())

    def _possible(self, name: str) -> Sequence[str]:
        """Return every tool with a name that matches a name or pattern.

        Only patterns with `__`, which joins the parts of wire names and of actions, match names other than idents:
        `*_all` matches only idents.
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
        from toolgen.providers.stubs import python_function_name  # most names that are asked for are idents

        providers = {each.grammar: each for each in map(provider, PROVIDERS)}.values()
        return _table(
            (spelling, tool.ident)
            for tool in self._tools
            for spelling in (
                tool.wire_name,
                *(provider_tool_name(tool.ident, tool.wire_name, each) for each in providers),
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
