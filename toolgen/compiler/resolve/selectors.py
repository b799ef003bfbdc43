"""Selectors, and the names of tools, toolsets and catalogs in settings: what they mean in the resolved specs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import listing
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.compiler.project.config import setting_span
from toolgen.contract.ident import SEPARATOR
from toolgen.providers.spellings import SpelledAction, SpelledTool, ToolNames
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.files import read_file_inside
from toolgen.spec.selector import Selector, names_one_of
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.ir.catalog import ActionCatalog, Catalog, Tool, Toolset
    from toolgen.compiler.project.config import Config


# Selectors: a toolset, any name of a tool, or a pattern, and tags that a tool must have.


@dataclass(frozen=True, slots=True)
class Selectable:
    """The tools that selectors match, with all their names. `tags` are the known tags."""

    toolsets: Sequence[Toolset]
    names: ToolNames
    tags: frozenset[str]

    @classmethod
    def of(cls, toolsets: Sequence[Toolset], catalogs: Sequence[ActionCatalog], tags: Sequence[str]) -> Selectable:
        """Create it from resolved toolsets and catalogs."""
        names = ToolNames(
            {tool.ident: None for toolset in toolsets for tool in toolset.tools},
            {toolset.name for toolset in toolsets},
            lambda: _spelled_tools(toolsets),
            lambda: _spelled_actions(catalogs),
        )
        return cls(toolsets, names, frozenset(tags))

    def select(self, selector: str, *, restricts: bool = False) -> list[Tool]:
        """Return the tools that a selector matches."""
        asked = self.names.resolve_selector(selector, restricts=restricts)
        return [
            tool
            for toolset in self.toolsets
            for tool in toolset.tools
            if any(each.matches(tool.ident, toolset.name, frozenset(tool.tags)) for each in asked)
        ]

    def check(
        self,
        selector: str,
        span: Span,
        sink: Diagnostics,
        *,
        answer: str = "allow",
        registered: Sequence[str] = (),
    ) -> None:
        """Report a selector with an unknown tag, or one that matches nothing.

        A restricting selector whose name refers to no tool is an error: it would restrict nothing. Tools that are
        `registered` by hosts are not known here.
        """
        name, *tags = selector.split("+")
        for tag in tags:
            if tag not in self.tags:
                sink.report("TG405", span, f"`{tag}` is not a tag", fix=sink.nearest(tag, self.tags))
                return
        if names_one_of(selector, registered):
            return
        restricts = answer != "allow"
        if restricts and not self.names.resolve_selector(selector, restricts=True):
            near = self._near(name, sink) or "list it under `registered`, if hosts register such tools;"
            fix = f"{near} if the tool is gone, remove the rule"
            sink.report("TG511", span, f"`{selector}: {answer}` restricts nothing: no tool is named `{name}`", fix=fix)
        elif not self.select(selector, restricts=restricts):
            sink.report("TG504", span, f"`{selector}` matches no tool", fix=self._hint(name, sink))

    def _hint(self, name: str, sink: Diagnostics) -> str:
        """Return a fix with possible meanings: a permission accepts only unique names."""
        own = Selector.parse(name)
        possible = [each.pattern for each in self.names.resolve_selector(name, restricts=True) if each != own]
        if possible and name not in self.names.known:
            return f"it may mean {', '.join(f'`{each}`' for each in possible)}: write the ident"
        return self._near(name, sink)

    def _near(self, name: str, sink: Diagnostics) -> str:
        """Suggest a similar name: of a tool in its toolset, or any known name."""
        keys = [tool.ident for toolset in self.toolsets for tool in toolset.tools if tool.key == name]
        if keys:
            return f"did you mean `{keys[0]}`?"
        return sink.nearest(name, sorted({*self.names.known} - {name}))


def _spelled_tools(toolsets: Sequence[Toolset]) -> Iterator[SpelledTool]:
    for toolset in toolsets:
        *owner, _, last = toolset.package
        for tool in toolset.tools:
            others = [] if tool.tag is None else [tool.tag.prefix]
            if toolset.kind is ToolsetKind.MCP:
                others += [tool.remote, f"{toolset.name.rpartition('.')[2]}{SEPARATOR}{tool.remote}"]
            yield SpelledTool(
                tool.ident,
                tool.wire_name or wire_name(tool.ident),
                tool.remote or tool.key,
                ".".join((*owner, last, tool.names.function)),
                tuple(others),
            )


def _spelled_actions(catalogs: Sequence[ActionCatalog]) -> Iterator[SpelledAction]:
    for catalog in catalogs:
        for category in catalog.categories:
            start = f"{category.name}{SEPARATOR}"
            for entry, action in category.actions.items():
                yield SpelledAction(f"{start}{entry}", action.target, is_plain=action.schema is None)
            if category.resource is not None:
                yield SpelledAction(start, category.resource.target, is_plain=False)


# Settings that name what is in specs: catalogs, tools, toolsets, conditions. Checked when specs are compiled.

_LARGEST = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Names:
    """What settings may name: the catalogs, toolsets and conditions of a target, and its tools by any name."""

    catalogs: tuple[str, ...]
    toolsets: tuple[str, ...]
    conditions: frozenset[str]
    tools: Selectable

    @classmethod
    def of(cls, catalog: Catalog) -> Names:
        """Return those of a compiled target."""
        categories = [category for each in catalog.catalogs for category in each.categories]
        needs = [category.needs for category in categories] + [each.search_needs for each in catalog.catalogs]
        return cls(
            tuple(each.name for each in catalog.catalogs),
            tuple(toolset.name for toolset in catalog.toolsets),
            frozenset(condition.setting for condition in needs if condition is not None),
            Selectable.of(catalog.toolsets, catalog.catalogs, list(catalog.tags)),
        )


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that a target does not have: the code, the setting that has it, and the message without its fix.

    `known` are the names that it could have been. Two are equal if they are about the same name.
    """

    code: str
    setting: str
    name: str
    known: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        """Compare without what the target knows."""
        return isinstance(other, Unknown) and (self.code, self.name) == (other.code, other.name)

    def __hash__(self) -> int:
        """Return the hash of what is compared."""
        return hash((self.code, self.name))


def unknown_names(config: Config, names: Names) -> list[Unknown]:
    """Return the names in settings that a target does not have."""
    tool_use = config.tool_use
    found: list[Unknown] = []
    if tool_use.catalog and tool_use.catalog not in names.catalogs:
        found.append(Unknown("TG709", "catalog", tool_use.catalog, names.catalogs))
    idents = tuple(tool.ident for toolset in names.tools.toolsets for tool in toolset.tools)
    found += [Unknown("TG710", "base", name, idents) for name in tool_use.base if names.tools.names.ident(name) is None]
    toolsets = (*names.toolsets, *BUILTIN_TOOLSETS)
    found += [Unknown("TG711", name, name, toolsets) for name in config.executors if name not in names.toolsets]
    conditions = tuple(sorted(names.conditions))
    found += [Unknown("TG712", name, name, conditions) for name in tool_use.settings if name not in names.conditions]
    silenced = dict.fromkeys(name for row in config.silence for name in row.toolsets)
    found += [
        Unknown("TG713", "toolsets", name, toolsets)
        for name in silenced
        if not any(fnmatchcase(each, name) for each in toolsets)
    ]
    return found


def report_unknown(config: Config, missing: Sequence[Unknown], sink: Diagnostics) -> None:
    """Report names that no target has, where the configuration has them."""
    if not missing:
        return
    text = read_file_inside(config.root / config.file, config.root, _LARGEST).decode("utf-8-sig")
    sink.sources[config.file] = text
    messages = {
        "TG709": ("there is no action catalog `{}`", "action catalogs"),
        "TG710": ("`action_retrieval.base` names `{}`, and there is no such tool", "tools"),
        "TG711": ("`executors` names `{}`, and there is no such toolset", "toolsets"),
        "TG713": ("`silence.toolsets` names `{}`, and there is no such toolset", "toolsets"),
        "TG712": ("no condition of an action catalog looks at the setting `{}`", "settings that conditions look at"),
    }
    for each in missing:
        message, kind = messages[each.code]
        fix = sink.nearest(each.name, each.known) or (listing(kind, each.known) if len(each.known) < 20 else "")
        sink.report(each.code, setting_span(config.file, text, each.setting), message.format(each.name), fix=fix)
