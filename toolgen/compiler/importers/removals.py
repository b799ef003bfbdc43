"""Removals: args, fields and values that a person removed, and that the source has at another place now.

At their place they stay removed (`merge`). A source can move them: an object becomes a type, an alternative, or the
items of a list, or its type gets another name. What was removed is known by its name only, so it is only reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.compiler.importers.shared_definitions import SIDES, types_referred_to
from toolgen.schema.json_values import canonical, is_array, is_object

if TYPE_CHECKING:
    from toolgen.compiler.importers.merge import Base, Path

Owner: TypeAlias = str
"""A type of the file by its name, or the tool itself: an empty text."""

FIELDS: Final = "properties"
_VALUES: Final = ("enum", "const")


@dataclass(frozen=True, slots=True)
class _Choice:
    """The names of fields, or the values, that one place of a schema allows. `path` is inside of its owner."""

    owner: Owner
    path: Path
    has_fields: bool
    members: Mapping[str, Any]

    def places(self) -> Iterator[tuple[Owner, Path, bool, str]]:
        return ((self.owner, self.path, self.has_fields, member) for member in self.members)


@dataclass(frozen=True, slots=True)
class Returned:
    """Something that a person removed, and where it is now. `note` is what stands for the removal under `kept`.

    Where fields were removed, that is null, at the path of the field; of values it is the list without them.
    """

    owner: Owner
    path: Path
    note: Any
    now_owner: Owner
    now_path: Path


def returned(
    before: tuple[Mapping[str, Any], Mapping[str, Any]],
    after: tuple[Mapping[str, Any], Mapping[str, Any]],
    bases: Mapping[Owner, Base],
) -> Iterator[Returned]:
    """Yield what a person removed from a tool or from types that it uses, and the tool has at another place now.

    `before` and `after` are each the tool and the types of its file. `bases` are what the last import wrote of the tool
    and of each type.
    """
    present, current = list(_choices(*before)), list(_choices(*after))
    stands = {(each.owner, each.path) for each in current if not each.has_fields}
    known = {place for each in present for place in each.places()}
    new = {place: None for each in current for place in each.places() if place not in known}
    for owner, path, has_fields, member in new:
        for each in present:
            if each.has_fields is not has_fields or member in each.members or (base := bases.get(each.owner)) is None:
                continue
            if has_fields and base.had((*each.path, member)):
                yield Returned(each.owner, (*each.path, member), None, owner, (*path, member))
            elif not has_fields and (each.owner, each.path) not in stands and base.had((*each.path, "=", member)):
                yield Returned(each.owner, each.path, list(each.members.values()), owner, path)


def _choices(tool: Mapping[str, Any], types: Mapping[str, Any]) -> Iterator[_Choice]:
    sides = {side: tool[side] for side in SIDES if side in tool}
    yield from _in(sides, "", ())
    for name in _used(sides, types):
        yield from _in(types[name], name, ())


def _used(sides: Mapping[str, Any], types: Mapping[str, Any]) -> Iterable[str]:
    """Return the types that schemas refer to, also by others."""
    found: dict[str, None] = {}
    pending = [*types_referred_to(sides)]
    while pending:
        name = pending.pop()
        if name in types and name not in found:
            found[name] = None
            pending += types_referred_to(types[name])
    return found


def _in(value: Any, owner: Owner, path: Path) -> Iterator[_Choice]:
    if is_array(value):
        for index, item in enumerate(value):
            yield from _in(item, owner, (*path, index))
        return
    if not is_object(value):
        return
    for key, inner in value.items():
        if key == FIELDS and is_object(inner):
            yield _Choice(owner, (*path, key), has_fields=True, members=inner)
        elif key in _VALUES:
            items = inner if is_array(inner) and key == "enum" else [inner]
            members = {canonical(item).decode("utf-8", "surrogatepass"): item for item in items}
            yield _Choice(owner, (*path, key), has_fields=False, members=members)
        yield from _in(inner, owner, (*path, key))
