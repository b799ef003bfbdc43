"""Comparison of two sides: every change of every package, with its places in the specs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.git import DiffError
from toolgen.authoring.diff.sides import moved, pairs
from toolgen.changes.catalogs import Sets, Version, compare_versions
from toolgen.changes.python_api import Places as ApiPlaces
from toolgen.changes.python_api import Ref, Renamed, compare_apis, read_apis, routing_of
from toolgen.changes.rules import Bump, Category, Level, names
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.policy.effective import effective_set
from toolgen.runtime.policy.policy import Policies

if TYPE_CHECKING:
    from toolgen.authoring.diff.recorded import Recording
    from toolgen.authoring.diff.sides import Package, Side
    from toolgen.changes.python_api import Api
    from toolgen.changes.rules import Change, Path
    from toolgen.compiler.diagnostics import Span
    from toolgen.runtime.catalog.catalog import Catalog

_RENAMES: Final = frozenset({"WIRE103", "WIRE104", "WIRE211"})
_CAUSED: Final = frozenset(
    ["CODE102", "CODE103", "CODE201", "CODE203", "CODE204", "CODE501", "MODEL101", "MODEL108", "MODEL201", "MODEL202"]
)
"""Rules of what follows from a rename."""

_CATEGORIES: Final = list(Category)
_LEVELS: Final = list(Level)


@dataclass(frozen=True, slots=True)
class Located:
    """A change, with its package and its places in the specs of the two sides."""

    package: str
    change: Change
    before: Span | None = None
    after: Span | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """What is shown as one change: the first of equal ones, the others, and what a rename causes."""

    first: Located
    others: tuple[Located, ...] = ()
    parts: tuple[Located, ...] = ()

    def summary(self) -> str:
        """Return the change in one line, with the names of all subjects."""
        change = self.first.change
        if not self.others:
            return change.summary()
        subjects = [each.change.subject for each in (self.first, *self.others)]
        return f"{names(subjects)}: {change.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All changes from one side to another, sorted by category, subject and place."""

    before: Side
    after: Side
    changes: tuple[Located, ...]

    def of(self, categories: Collection[Category]) -> Report:
        """Return the changes of some categories only."""
        return replace(self, changes=tuple(each for each in self.changes if each.change.category in categories))

    def failing(self, selected: Collection[Category | Level]) -> list[Located]:
        """Return the changes of some categories that are not additions, and not notes, and those of some levels."""
        return [
            each
            for each in self.changes
            if each.change.level in selected
            or (each.change.category in selected and each.change.level not in (Level.NOTE, Level.COMPATIBLE))
        ]

    def groups(self) -> list[Group]:
        """Return the changes as people read them: equal ones of several subjects once, a rename with what it causes."""
        parts = self._parts_of_renames()
        found: dict[object, list[Located]] = {}
        caused: dict[int, list[Located]] = {}
        for each in self.changes:
            if id(each) in parts:
                caused.setdefault(id(parts[id(each)]), []).append(each)
            else:
                change = each.change
                is_grave = change.level in (Level.BREAKING, Level.IGNORED)  # every name is listed
                equal = (each.package, change.code, change.message, change.evidence)
                found.setdefault(id(each) if is_grave else equal, []).append(each)
        return [Group(each[0], tuple(each[1:]), tuple(caused.get(id(each[0]), ()))) for each in found.values()]

    def _parts_of_renames(self) -> dict[int, Located]:
        """Return the rename that caused a change, by the id of the change: one at its places, and at no others."""
        renames = [each for each in self.changes if each.change.code in _RENAMES]
        places: dict[object, list[Located]] = {}
        for each in self.changes if renames else ():
            if each.change.code in _CAUSED:
                for side, path in enumerate((each.change.before_path, each.change.after_path)):
                    if path:
                        places.setdefault((each.package, side, path), []).append(each)
        return {
            id(part): rename
            for rename in renames
            for side, path in enumerate((rename.change.before_path, rename.change.after_path))
            if path is not None
            for at in (path, (*path, "title"))
            for part in places.get((rename.package, side, at), ())
            if _is_at(part.change.before_path, rename.change.before_path)
            and _is_at(part.change.after_path, rename.change.after_path)
        }

    @property
    def bump(self) -> Bump | None:
        """The part of the version that the changes raise; None if there are no changes."""
        order = list(Bump)
        found = {each.change.rule.bump for each in self.changes}
        return min(found, key=order.index) if found else None


def compare_sides(before: Side, after: Side, recording: Recording | None = None) -> Report:
    """Compare two sides. Raises DiffError where they cannot be compared."""
    found: list[Located] = []
    for name, old, new in pairs(before, after):
        try:
            changes = list(_changes(old, new, recording))
        except (CatalogError, SyntaxError) as error:
            raise DiffError(f"`{name}` cannot be compared: {error}") from None
        found += [
            Located(name, change, _span(old, change.before_path, before), _span(new, change.after_path, after))
            for change in changes
        ]
    if (change := moved(before, after)) is not None:
        found.append(Located(change.after, change))
    return Report(before, after, tuple(sorted(found, key=_order)))


def _changes(old: Package, new: Package, recording: Recording | None) -> Iterator[Change]:
    apis = _apis(old, new)
    routing = [routing_of(api) for api in apis]
    before = Version(old.document, _effective_sets(old.catalog), routing[0])
    after = Version(new.document, _effective_sets(new.catalog), routing[1])
    changes = list(compare_versions(before, after))
    yield from changes
    if recording:
        yield from recording.changes(old.catalog, new.catalog, (before.formats(), after.formats()))
    yield from compare_apis(
        *apis,
        places=(_api_places(old.document), _api_places(new.document)),
        renamed=[Renamed(change.before, change.after) for change in changes if change.code == "WIRE103"],
        hosted=_hosted(new.document),
    )


def _apis(old: Package, new: Package) -> tuple[Api, Api]:
    """Read the APIs, of the toolsets only that may differ in Python."""
    toolsets = {*old.document["toolsets"], *new.document["toolsets"]}
    if old.fingerprints is not None and new.fingerprints is not None:
        toolsets = {name for name in toolsets if old.fingerprints.get(name) != new.fingerprints.get(name)}
    return read_apis(old.sources(toolsets), new.sources(toolsets))


def _hosted(document: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return what says whether hosts implement the handlers of a package: not where a server or an API does."""
    elsewhere = {each["package"] for each in document["toolsets"].values() if each["kind"] in ("mcp", "http")}
    return lambda package: package not in elsewhere


def _api_places(document: Mapping[str, Any]) -> ApiPlaces:
    types: dict[Ref, Path] = {}
    for ident, tool in document["tools"].items():
        for side in ("args", "result"):
            module, _, name = tool.get(f"{side}_type", "").partition(":")
            types[Ref(module, name)] = ("tools", ident, side)
    packages = {
        each["package"]: (section, name)
        for section in ("agents", "toolsets")
        for name, each in document.get(section, {}).items()
    }
    return ApiPlaces(types, packages)


def _effective_sets(catalog: Catalog) -> dict[str, Sets]:
    """Return what the runs of each agent may call by mode, as the runtime computes it, with all policies applied."""
    applied = Policies(catalog.section("policies"), catalog.names)
    found: dict[str, Sets] = {}
    for name, agent in catalog.section("agents").items():
        modes: dict[str, dict[str, str]] = {}
        for mode in ("", *sorted(applied.modes)):
            tools = effective_set(catalog.entries, agent, applied, catalog.names, name=name, mode=mode).tools
            modes[mode] = {ident: decision.answer.value for ident, decision in tools.items()}
        found[name] = Sets(modes)
    return found


def _is_at(path: Path | None, place: Path | None) -> bool:
    """Whether a path is that of what was renamed, or of its title, which is made of the name."""
    return path is None or path == place or (place is not None and path == (*place, "title"))


def _span(package: Package, path: Path | None, side: Side) -> Span | None:
    if path is None or package.places is None:
        return None
    found = package.places.span(path)
    return replace(found, file=f"{side.prefix}{found.file}") if found else None


def _order(each: Located) -> tuple[Any, ...]:
    change = each.change
    return (
        each.package,
        _LEVELS.index(change.level),
        _CATEGORIES.index(change.category),
        change.subject,
        change.code,
        change.message,
    )


def counted(changes: Iterable[Located]) -> str:
    """Count changes by category: `2 wire, 1 code`."""
    found = [each.change.category for each in changes]
    return ", ".join(f"{found.count(each)} {each.value}" for each in _CATEGORIES if each in found)
