"""Merge: three versions of a value to one. What an import wrote follows the source; what a person wrote stays.

The versions are `base`, what the last import wrote, of which there are fingerprints; `ours`, the value of the spec; and
`theirs`, what the source says now. They are merged leaf by leaf:

    ours is as in base     theirs, also where that is gone
    theirs is as in base   ours, also where that is gone
    both differ            ours; the place is a conflict
    a part is gone at the source that has edits   the part goes, and the edits are kept beside the value

What has no base was written by a person.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.importers.base import Base, is_set, leaves, same
from toolgen.compiler.resolve.schemas import keywords
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.pointer import pointer_of, steps_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from toolgen.compiler.importers.base import Path

ABSENT: Final = object()
"""The version of a value that has none."""

SCHEMAS: Final[tuple[Path, ...]] = (("args",), ("result",))
"""The places of the schemas of a tool."""


@dataclass
class Merge:
    """The merge of one value.

    `schemas` are the places of schemas, of which one in the short form of specs is merged as a whole. `conflicts` are
    the places where both versions changed; `kept` are edits of parts that are gone, by JSON pointer.
    """

    base: Base
    schemas: Collection[Path] = SCHEMAS
    conflicts: list[Path] = field(default_factory=list["Path"])
    kept: dict[str, Any] = field(default_factory=dict[str, Any])

    def merged(self, ours: Any, theirs: Any, path: Path = ()) -> Any:
        """Return the merged value, or `ABSENT`."""
        if theirs is ABSENT:
            return ABSENT if ours is ABSENT else self._only_ours(ours, path)
        if ours is ABSENT:
            return ABSENT if self.base.had(theirs, path) else theirs
        if same(ours, theirs) and not is_object(ours):
            return theirs
        if is_object(ours) and is_object(theirs) and self._have_same_form(ours, theirs, path):
            return self._mapping(ours, theirs, path)
        if is_array(ours) and is_array(theirs) and is_set(ours, path) and is_set(theirs, path):
            return self._set(ours, theirs, path)
        if is_array(ours) and is_array(theirs) and self._have_same_length(ours, theirs, path):
            items = zip(ours, theirs, strict=True)
            return [self.merged(one, other, (*path, index)) for index, (one, other) in enumerate(items)]
        return self._whole(ours, theirs, path)

    def restored(self, merged: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        """Return a merged value with the edits that were kept earlier and whose parts are there again."""
        for pointer, value in kept.items():
            *parents, last = steps_of(pointer)
            found: Any = merged
            for step in parents:
                found = found.get(step, ABSENT) if is_object(found) else ABSENT
            if is_object(found) and parents:
                merged = _with(merged, [*parents, last], value)
            else:
                self.kept.setdefault(pointer, value)
        return merged

    def _mapping(self, ours: dict[str, Any], theirs: dict[str, Any], path: Path) -> Any:
        made: dict[str, Any] = {}
        for key in _in_order(ours, theirs):
            value = self.merged(ours.get(key, ABSENT), theirs.get(key, ABSENT), (*path, key))
            if value is not ABSENT:
                made[key] = value
        return made

    def _set(self, ours: list[Any], theirs: list[Any], path: Path) -> list[Any]:
        present, offered = {canonical(item) for item in ours}, {canonical(item) for item in theirs}
        stays = [item for item in ours if canonical(item) in offered or self.base.edited([item], path)]
        return stays + [item for item in theirs if canonical(item) not in present and self.base.edited([item], path)]

    def _whole(self, ours: Any, theirs: Any, path: Path) -> Any:
        if not self.base.edited(ours, path):
            return theirs
        if self.base.edited(theirs, path):
            self.conflicts.append(path)
        return ours

    def _only_ours(self, ours: Any, path: Path) -> Any:
        edited = self.base.edited(ours, path)
        if not edited:
            return ABSENT
        if is_set(ours, path):
            return [item for item in ours if self.base.edited([item], path)]
        if (is_object(ours) or is_array(ours)) and self.base.had(ours, path):
            for place, leaf in edited:
                self._keep_leaf(ours, place, leaf, path)
            return ABSENT
        return ours

    def _keep_leaf(self, ours: Any, place: Path, leaf: Any, path: Path) -> None:
        """Keep an edit; one in a list with the whole list, because its place in another list is not known."""
        value: Any = ours
        for at in range(len(path), len(place)):
            if is_array(value):
                self.kept[pointer_of(place[:at])] = value
                return
            value = value[place[at]]
        self.kept[pointer_of(place)] = leaf

    def _have_same_form(self, ours: dict[str, Any], theirs: dict[str, Any], path: Path) -> bool:
        """Whether two schemas are both JSON Schema, or both the short form of specs."""
        return path not in self.schemas or _is_json_schema(ours) == _is_json_schema(theirs)

    def _have_same_length(self, ours: list[Any], theirs: list[Any], path: Path) -> bool:
        """Whether a list had, has and will have as many items, so that they correspond."""
        if not ours or is_set(ours, path) or is_set(theirs, path) or len(ours) != len(theirs):
            return False
        return self.base.wrote(*next(leaves(ours, path)))


def differences(ours: Any, theirs: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield where two versions of a tool have different values, and those of the second."""
    if (
        is_object(ours)
        and is_object(theirs)
        and (path not in SCHEMAS or _is_json_schema(ours) == _is_json_schema(theirs))
    ):
        for key, inner in theirs.items():
            if key in ours:
                yield from differences(ours[key], inner, (*path, key))
    elif not same(ours, theirs):
        yield path, theirs


def _is_json_schema(schema: Mapping[str, Any]) -> bool:
    return any(key in keywords.RAW for key in schema)


def _in_order(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return all keys: in the order of ours, and those that only theirs has behind the key that they follow there."""
    keys = list(ours)
    last = -1
    for key in theirs:
        if key in ours:
            last = keys.index(key)
        else:
            last += 1
            keys.insert(last, key)
    return keys


def _with(value: dict[str, Any], steps: list[str], leaf: Any) -> dict[str, Any]:
    """Return a copy with another leaf."""
    key, *rest = steps
    return {**value, key: _with(value[key], rest, leaf) if rest else leaf}
