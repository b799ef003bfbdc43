"""Settings that name what is in specs: catalogs, tools, toolsets, conditions. Checked when specs are compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import listing, nearest
from toolgen.compiler.project.config import setting_span
from toolgen.compiler.resolve.selectors.selectable import Selectable
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.files import read_file_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.project.config import Config

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
        "TG712": ("no condition of an action catalog looks at the setting `{}`", "settings that conditions look at"),
    }
    for each in missing:
        message, kind = messages[each.code]
        fix = nearest(each.name, each.known) or (listing(kind, each.known) if len(each.known) < 20 else "")
        sink.report(each.code, setting_span(config.file, text, each.setting), message.format(each.name), fix=fix)
