"""Action catalogs, compared: the entries that models call, their targets, and the texts about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.changes.change import Change
from toolgen.changes.model import changed_value
from toolgen.changes.wire import compare_schemas
from toolgen.contract.qualified import build

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.changes.change import Path

_TEXTS: Final = (
    ("prompt", "the prompt changed"),
    ("mandates", "the mandates changed"),
    ("hot_list_size", "the hot list changed"),
    ("hot_list_seeds", "the hot list changed"),
)
_Routing: TypeAlias = "Mapping[str, Mapping[str, str]]"


def compare_actions(
    before: Mapping[str, Any], after: Mapping[str, Any], *, routing: tuple[_Routing, _Routing]
) -> Iterator[Change]:
    """Yield the changes of the action catalogs of two catalogs; `routing` as in `Version`."""
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, {}), after.get(name, {})
        path: Path = ("catalogs", name)
        yield from _entries(name, _actions(old), _actions(new), (_reachable(old), _reachable(new)))
        if not (old and new):
            continue
        for key, what in _TEXTS:
            yield from changed_value("MODEL303", name, what, old, new, key, path)
        yield from changed_value(
            "MODEL303", name, "the categories changed", _described(old), _described(new), "categories", path
        )
        modules = routing[0].get(old["module"], {}), routing[1].get(new["module"], {})
        yield from _routing(name, *modules)


def _entries(
    catalog: str, old: Mapping[str, Any], new: Mapping[str, Any], reachable: tuple[set[str], set[str]]
) -> Iterator[Change]:
    for entry in dict.fromkeys((*old, *new)):
        subject, path = f"{catalog}: {entry}", ("catalogs", catalog, "actions", entry)
        if entry not in new:
            if entry not in reachable[1]:
                yield Change(code="WIRE105", subject=subject, message="the action is gone", before_path=path)
        elif entry not in old:
            yield Change(code="WIRE106", subject=subject, message="the action is new", after_path=path)
        else:
            yield from changed_value(
                "ROUTE108", subject, "it leads to another tool", old[entry], new[entry], "target", path
            )
            schemas = [each[entry].get("schema") for each in (old, new)]
            if None not in schemas:
                yield from compare_schemas(subject, "args", *schemas, path=path)


def _actions(catalog: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fixed entries by their qualified names, and the categories with entries of the host by theirs."""
    found: dict[str, Any] = {}
    for category in catalog.get("categories", ()):
        for entry, action in category.get("actions", {}).items():
            found[build(category["name"], entry)] = action
        if "resource" in category:
            found[category["name"]] = category["resource"]
    return found


def _reachable(catalog: Mapping[str, Any]) -> set[str]:
    """Return the names of entries under former names of their categories."""
    return {
        build(formerly, entry)
        for category in catalog.get("categories", ())
        for formerly in category.get("formerly", ())
        for entry in category.get("actions", {})
    }


def _described(catalog: Mapping[str, Any]) -> dict[str, Any]:
    texts = [(each["name"], each["description"], each.get("invoke", "")) for each in catalog.get("categories", ())]
    return {"categories": [list(each) for each in texts]}


def _routing(catalog: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in (name for name in old if name in new and old[name] != new[name]):
        is_function = old[name].startswith("def ")
        yield Change(
            code="ROUTE311" if is_function else "ROUTE108",
            subject=f"{catalog}: {name}",
            message="its condition changed" if is_function else "its args are mapped otherwise",
            before_path=("catalogs", catalog, "actions", name),
            after_path=("catalogs", catalog, "actions", name),
            before=old[name],
            after=new[name],
        )
