"""Action catalogs: ordered categories, their entries, and the targets of their actions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.actions import ActionRule, ActionTables, Visibility, passed_on
from toolgen.contract.ident import build
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest

if TYPE_CHECKING:
    from toolgen.runtime.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """The target of an entry: an ident, and the schema of the caller's args; None if it is that of the target."""

    target: str
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A category: fixed entries by name, or a `resource`, the target of all entries that the host lists.

    `formerly` are former names; `invoke` describes what invoking an entry of the host does.
    """

    name: str
    description: str
    actions: Mapping[str, Action] = field(default_factory=dict[str, Action])
    resource: Action | None = None
    invoke: str = ""
    formerly: tuple[str, ...] = ()

    @property
    def targets(self) -> frozenset[str]:
        """The idents of all its targets."""
        return frozenset(action.target for action in (*self.actions.values(), self.resource) if action)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mandate:
    """An instruction to models of some tiers, repeated several times."""

    text: str
    tiers: tuple[str, ...] = ("light",)
    repeat: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCatalog:
    """Ordered categories, and the tables that route their actions.

    `visibility` are the settings that make categories visible; `search` is the same for searching.
    """

    name: str
    categories: tuple[Category, ...]
    tables: ActionTables
    visibility: Mapping[str, Visibility]
    search: Visibility
    prompt: str = ""
    mandates: tuple[Mandate, ...] = ()
    hot_list_size: int = 0
    hot_list_seeds: tuple[str, ...] = ()


SEARCH_BY_DEFAULT: Final = Visibility("embedding_class", bool)


def action_catalog(catalog: Catalog, name: str = "") -> ActionCatalog:
    """Return an action catalog: the one with that name, or the only compiled one, or one of all toolsets.

    Raises `CatalogError` for an unknown name, and if there are several and no name is given.
    """
    compiled = catalog.section("catalogs")
    if name and name not in compiled:
        meant = nearest(name, compiled, count=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"there are {', '.join(sorted(compiled)) or 'none'}"
        raise CatalogError(f"there is no action catalog {name!r}; {hint}")
    if not name and len(compiled) > 1:
        raise CatalogError(
            f"there are the action catalogs {', '.join(sorted(compiled))}: select one with `catalog` in `tool_use`"
        )
    if not compiled:
        return catalog_of_toolsets(catalog)
    name = name or next(iter(compiled))
    return _compiled(name, compiled[name], import_module(catalog.package_of_actions(name)))


def _compiled(name: str, spec: Mapping[str, Any], module: Any) -> ActionCatalog:
    return ActionCatalog(
        name=name,
        categories=tuple(
            Category(
                name=each["name"],
                description=each["description"],
                actions={entry: _action(action) for entry, action in each.get("actions", {}).items()},
                resource=_action(each["resource"]) if "resource" in each else None,
                invoke=each.get("invoke", ""),
                formerly=tuple(each.get("formerly", ())),
            )
            for each in spec["categories"]
        ),
        tables=module.TABLES,
        visibility=module.VISIBILITY,
        search=module.SEARCH,
        prompt=spec.get("prompt", ""),
        mandates=tuple(
            Mandate(text=each["text"], tiers=tuple(each["tiers"]), repeat=each["repeat"])
            for each in spec.get("mandates", ())
        ),
        hot_list_size=spec.get("hot_list_size", 0),
        hot_list_seeds=tuple(spec.get("hot_list_seeds", ())),
    )


def _action(spec: Mapping[str, Any]) -> Action:
    return Action(target=spec["target"], schema=spec.get("schema"))


def catalog_of_toolsets(catalog: Catalog) -> ActionCatalog:
    """Create an action catalog of all tools: a category for each toolset, whose entries are its tools."""
    toolsets: dict[str, list[str]] = {}
    for ident in sorted(catalog):
        toolsets.setdefault(catalog.toolset_of(ident), []).append(ident)
    categories = [
        Category(
            name=category_of(toolset),
            description=catalog.toolset_description(toolset) or f"The tools of {toolset}.",
            actions={ident.removeprefix(f"{toolset}."): Action(target=ident) for ident in idents},
        )
        for toolset, idents in toolsets.items()
    ]
    names = [category.name for category in categories]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise CatalogError(
            f"two toolsets would both be the category {twice!r}: write a catalog file with names for them"
        )
    operations = {
        build(category.name, entry): ActionRule(action.target, passed_on)
        for category in categories
        for entry, action in category.actions.items()
    }
    return ActionCatalog(
        name="toolsets",
        categories=tuple(categories),
        tables=ActionTables(categories=tuple(names), operations=operations, resources={}),
        visibility={},
        search=SEARCH_BY_DEFAULT,
    )


def category_of(toolset: str) -> str:
    """Return the category name of a toolset: the same, unless it contains `__` or ends in `_`."""
    return re.sub(r"_{2,}", "-", toolset).rstrip("_")
