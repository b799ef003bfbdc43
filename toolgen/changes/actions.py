"""Action catalogs, compared: the actions that callers invoke by name, what they lead to, and the texts about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.model_surface import changed_value
from toolgen.changes.rules import Change
from toolgen.changes.wire import compare_schemas
from toolgen.contract.ident import build
from toolgen.schema.args import without_injected
from toolgen.schema.json_values import are_equal, is_object

if TYPE_CHECKING:
    from toolgen.changes.rules import Path

SEARCH: Final = "the search for actions"
"""What stands for a category in `Routing.conditions` of which it is no name."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A setting that must be set, with one of some values (`among`), or with none of some others (`except_`).

    `text` says how it is decided. It is all that counts where it could not be read: `is_read` is false.
    """

    text: str
    setting: str = ""
    among: frozenset[str] | None = None
    except_: frozenset[str] = frozenset()
    is_read: bool = True

    def implies(self, other: Condition) -> bool:
        """Return whether it certainly holds nowhere but where another does."""
        if not (self.is_read and other.is_read and self.setting == other.setting):
            return self.text == other.text
        if self.among is None:
            return other.among is None and other.except_ <= self.except_ | {""}
        return all(other.holds(value) for value in self.among if self.holds(value))

    def holds(self, value: str) -> bool:
        """Return whether it holds for a value of its setting."""
        return bool(value) and (self.among is None or value in self.among) and value not in self.except_


@dataclass(frozen=True, slots=True)
class Routing:
    """What the module of an action catalog says: the expressions that map args, by the names of actions.

    `conditions` has those of categories that are visible with a setting only, by name, and that of `SEARCH`.
    """

    rules: Mapping[str, str] = field(default_factory=dict[str, str])
    conditions: Mapping[str, Condition] = field(default_factory=dict[str, Condition])


@dataclass(frozen=True, slots=True)
class ActionCatalogs:
    """The action catalogs of one version, with the tools that their actions lead to, as documents of `catalog.json`.

    `routing` is by module; `formats` tells whether `format` is checked.
    """

    catalogs: Mapping[str, Any]
    tools: Mapping[str, Any]
    routing: Mapping[str, Routing]
    formats: bool


_TEXTS: Final = (
    ("prompt", "the prompt changed"),
    ("mandates", "the mandates changed"),
    ("hot_list_size", "the hot list changed"),
    ("hot_list_seeds", "the hot list changed"),
)
_NO_ROUTING: Final = Routing()


def compare_actions(before: ActionCatalogs, after: ActionCatalogs) -> Iterator[Change]:
    """Yield the changes of the action catalogs of two versions."""
    for name in dict.fromkeys((*before.catalogs, *after.catalogs)):
        old, new = before.catalogs.get(name, {}), after.catalogs.get(name, {})
        path: Path = ("catalogs", name)
        yield from _entries(name, (before, _actions(old)), (after, _actions(new)))
        if not (old and new):
            continue
        for key, what in _TEXTS:
            yield from changed_value("MODEL303", name, what, old, new, key, path)
        yield from changed_value(
            "MODEL303", name, "the categories changed", _described(old), _described(new), "categories", path
        )
        routing = before.routing.get(old["module"], _NO_ROUTING), after.routing.get(new["module"], _NO_ROUTING)
        yield from _mappings(name, routing[0].rules, routing[1].rules)
        seen = [each["name"] for each in new["categories"] if each["name"] in _names(old)]
        for category in (*seen, SEARCH):
            conditions = (each.conditions.get(category) for each in routing)
            place = ("search",) if category == SEARCH else ("categories", category)
            yield from _visibility(f"{name}: {category}", *conditions, path=(*path, *place))


def _entries(
    catalog: str, before: tuple[ActionCatalogs, Mapping[str, Any]], after: tuple[ActionCatalogs, Mapping[str, Any]]
) -> Iterator[Change]:
    old, new = before[1], after[1]
    for entry in dict.fromkeys((*old, *new)):
        subject, path = f"{catalog}: {entry}", ("catalogs", catalog, "actions", entry)
        if entry not in new:
            yield Change(code="WIRE105", subject=subject, message="the action is gone", before_path=path)
        elif entry not in old:
            yield Change(code="WIRE106", subject=subject, message="the action is new", after_path=path)
        else:
            yield from changed_value(
                "ROUTE108", subject, "it leads to another tool", old[entry], new[entry], "target", path
            )
            if any("schema" in each[entry] for each in (old, new)) or old[entry]["target"] != new[entry]["target"]:
                yield from _contract(subject, (before[0], old[entry]), (after[0], new[entry]), path)


def _contract(
    subject: str, before: tuple[ActionCatalogs, Any], after: tuple[ActionCatalogs, Any], path: Path
) -> Iterator[Change]:
    """Yield the changes of the args and the result of an action, as its callers see them."""
    formats = before[0].formats, after[0].formats
    for side, one, other in zip(("args", "result"), _sides(*before), _sides(*after), strict=True):
        if not are_equal(one, other):
            yield from compare_schemas(subject, side, one, other, path=path, formats=formats)


def _sides(version: ActionCatalogs, action: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the schemas of the args that callers of an action give, and of its result."""
    tool = version.tools.get(action["target"], {})
    args = tool.get("args", True)
    seen = without_injected(args, tool.get("inject", ())) if is_object(args) else args
    return action.get("schema", seen), tool.get("result", True)


def _actions(catalog: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fixed entries by their qualified names, and the categories with entries of the host by theirs."""
    found: dict[str, Any] = {}
    for category in catalog.get("categories", ()):
        for entry, action in category.get("actions", {}).items():
            found[build(category["name"], entry)] = action
        if "resource" in category:
            found[category["name"]] = category["resource"]
    return found


def _names(catalog: Mapping[str, Any]) -> set[str]:
    return {category["name"] for category in catalog["categories"]}


def _described(catalog: Mapping[str, Any]) -> dict[str, Any]:
    """Return what models are told of categories: also the new name of one that they ask for by a former one."""
    return {
        "categories": [
            [each["name"], each["description"], each.get("invoke", ""), *each.get("formerly", ())]
            for each in catalog["categories"]
        ]
    }


def _mappings(catalog: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in (name for name in old if name in new and old[name] != new[name]):
        yield Change(
            code="ROUTE108",
            subject=f"{catalog}: {name}",
            message="its args are mapped otherwise",
            before_path=("catalogs", catalog, "actions", name),
            after_path=("catalogs", catalog, "actions", name),
            before=old[name],
            after=new[name],
        )


def _visibility(subject: str, old: Condition | None, new: Condition | None, *, path: Path) -> Iterator[Change]:
    if old == new:
        return
    is_hidden = new is not None and (old is None or not old.implies(new))
    yield Change(
        code="WIRE107" if is_hidden else "ROUTE311",
        subject=subject,
        message="it is always visible now" if new is None else f"it is visible where `{new.text}` now",
        before_path=path,
        after_path=path,
        before=old and old.text,
        after=new and new.text,
    )
