"""Merge: three versions of a value to one. What an import wrote follows the source; what a person wrote stays.

The versions are `base`, what the last import wrote, of which there are fingerprints; `ours`, the value of the spec; and
`theirs`, what the source says now. They are merged leaf by leaf:

    ours is as in base     theirs, also where that is gone
    theirs is as in base   ours, also where that is gone
    both differ            ours; the place is a conflict
    a part is gone at the source that has edits   the part goes, and the edits are kept beside the value
    a choice of values is edited                  it gets no value that the source has added; the place is a conflict

What has no base was written by a person.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.compiler.resolve import keywords
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.references import pointer_of, steps_of

# Base: what an import wrote, as fingerprints, so that the next one sees what people changed since.
#
# A value is taken apart into leaves: a path and a scalar. A spec keeps six bytes of each leaf, three of the path and
# three of both, as base64. That is enough to tell for each leaf of a spec whether an import wrote it. Of objects and
# lists it keeps three bytes of the path, behind a dot: a part of a source that a spec had once is known by them, though
# everything inside of it has changed.

Path = tuple[str | int, ...]
"""Where a value is in another: keys and indexes."""

_WIDTH: Final = 3
"""Bytes of a path, and of a path with its value: an edit is taken for what an import wrote once in 16 million."""

_COUNT: Final = "#"
_MEMBER: Final = "="
"""Steps that no key of a mapping follows: the length of a list, and a member of a list that is a set."""

_CHOICES: Final = frozenset({"enum", "type"})
"""Keys of lists of what is allowed: one that was made shorter is not made longer by a source."""

_SETS: Final = frozenset({"required", "tags", *_CHOICES})
"""Keys of lists whose order means nothing."""

_PLACES: Final = ("#/types/", "#/$defs/", "#/definitions/")


def is_set(value: Any, path: Path) -> bool:
    """Whether a list is compared by its members: that of a keyword such as `required`, of different scalars."""
    if not is_array(value) or not path or path[-1] not in _SETS:
        return False
    return not any(is_object(item) or is_array(item) for item in value) and len(set(map(canonical, value))) == len(
        value
    )


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, however definitions are referred to: under `types`, or in the schema itself."""
    return one is other or canonical(_normal(one)) == canonical(_normal(other))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the leaves of a value: scalars, empty collections, and the lengths of lists."""
    if is_object(value) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif is_array(value) and value and is_set(value, path):
        for item in value:
            yield (*path, _MEMBER, canonical(item).decode("utf-8", "surrogatepass")), True
    elif is_array(value) and value:
        yield (*path, _COUNT), len(value)
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def _collections(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the objects and lists in a value that are not empty."""
    if not value or not (is_object(value) or is_array(value)):
        return
    yield path, value
    for key, inner in value.items() if is_object(value) else enumerate(value):
        yield from _collections(inner, (*path, key))


def _members(items: Iterable[Any]) -> list[str]:
    """Return what identifies a set."""
    return sorted(canonical(item).decode("utf-8", "surrogatepass") for item in items)


@dataclass(frozen=True, slots=True)
class Base:
    """The fingerprints of a value. `entries` are those of its leaves, and of the members of each set together.

    `places` are those of the paths of objects and lists, `paths` those of all paths. `parts` are parts of the value
    that an import wrote elsewhere, by their place.
    """

    entries: frozenset[bytes]
    places: frozenset[bytes]
    paths: frozenset[bytes]
    parts: Mapping[Path, Base] = field(default_factory=dict[Path, "Base"])

    @classmethod
    def of(cls, value: Any) -> Base:
        """Take the fingerprints of a value."""
        found = list(_collections(value))
        entries = [_entry(path, leaf) for path, leaf in leaves(value)]
        entries += [_entry((*path, _COUNT), _members(each)) for path, each in found if is_set(each, path)]
        return cls._of(entries, (_path(path) for path, _ in found))

    @classmethod
    def parsed(cls, text: str) -> Base:
        """Read the text of fingerprints. Of one that is damaged nothing is known: all of a spec counts as edited."""
        entries, _, places = text.partition(".")
        return cls._of(_unpacked(entries, 2 * _WIDTH), _unpacked(places, _WIDTH))

    @classmethod
    def _of(cls, entries: Iterable[bytes], places: Iterable[bytes]) -> Base:
        found, known = frozenset(entries), frozenset(places)
        return cls(found, known, known | {entry[:_WIDTH] for entry in found})

    @property
    def text(self) -> str:
        """The fingerprints as a spec keeps them."""
        places = f".{_packed(self.places)}" if self.places else ""
        return f"{_packed(self.entries)}{places}"

    def with_leaf(self, path: Path, leaf: Any) -> Base:
        """Return the fingerprints with one more leaf."""
        return self._of({*self.entries, _entry(path, leaf)}, self.places)

    def without_leaf(self, path: Path, leaf: Any) -> Base:
        """Return the fingerprints with one leaf less."""
        return self._of(self.entries - {_entry(path, leaf)}, self.places)

    def wrote(self, path: Path, leaf: Any) -> bool:
        """Whether the import wrote this leaf."""
        base, place = self._at(path)
        return _entry(place, leaf) in base.entries

    def wrote_set(self, items: Iterable[Any], path: Path) -> bool:
        """Whether the import wrote this set, with these members and no others."""
        return self.wrote((*path, _COUNT), _members(items))

    def had(self, path: Path) -> bool:
        """Whether the import wrote anything at this path."""
        base, place = self._at(path)
        return _path(place) in base.paths

    def had_member(self, item: Any, path: Path) -> bool:
        """Whether the import wrote a set at this path with this member."""
        return all(self.wrote(place, leaf) for place, leaf in leaves([item], path))

    def edited(self, value: Any, path: Path) -> list[tuple[Path, Any]]:
        """Return the leaves of a value that the import did not write."""
        return [(place, leaf) for place, leaf in leaves(value, path) if not self.wrote(place, leaf)]

    def overlap(self, value: Any) -> int:
        """Return how many leaves of a value the import wrote."""
        return sum(self.wrote(path, leaf) for path, leaf in leaves(value))

    def _at(self, path: Path) -> tuple[Base, Path]:
        for place, base in self.parts.items():
            if path[: len(place)] == place:
                return base, path[len(place) :]
        return self, path


UNKNOWN: Final = Base(frozenset(), frozenset(), frozenset())
"""The base of what no import wrote."""


def _packed(entries: Iterable[bytes]) -> str:
    return urlsafe_b64encode(b"".join(sorted(entries))).decode("ascii")


def _unpacked(text: str, width: int) -> Iterator[bytes]:
    """Yield the entries of a text; none if it is damaged."""
    try:
        data = urlsafe_b64decode(text.encode("ascii"))
    except ValueError:
        data = b""
    if len(data) % width == 0:
        yield from (data[at : at + width] for at in range(0, len(data), width))


def _path(path: Path) -> bytes:
    return _digest(canonical(list(path)))


def _entry(path: Path, leaf: Any) -> bytes:
    place = canonical(list(path))
    return _digest(place) + _digest(place + b"\0" + canonical(_normal(leaf)))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_WIDTH).digest()


def _normal(value: Any) -> Any:
    """Return a value with references to definitions spelled alike."""
    if is_object(value):
        return {key: _normal(inner) for key, inner in value.items()}
    if is_array(value):
        return [_normal(item) for item in value]
    if isinstance(value, str) and value.startswith(_PLACES):
        return f"#/types/{value.rpartition('/')[2]}"
    return value


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
            return ABSENT if self.base.had(path) else theirs
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
        """Return a merged value with the edits that were kept earlier and whose parts are there again.

        A kept field that is null was removed: it is removed again.
        """
        for pointer, value in kept.items():
            *parents, last = steps_of(pointer)
            found: Any = merged
            for step in parents:
                found = found.get(step, ABSENT) if is_object(found) else ABSENT
            is_removal = value is None and parents[-1:] == ["properties"]
            if is_removal and is_object(found) and last in found:
                merged = _without(merged, [*parents, last])
            elif is_object(found) and parents and not is_removal:
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
        stays = [item for item in ours if canonical(item) in offered or not self.base.had_member(item, path)]
        new = [item for item in theirs if canonical(item) not in present and not self.base.had_member(item, path)]
        if path[-1] not in _CHOICES or self.base.wrote_set(ours, path):
            return stays + new
        if new or not stays:
            self.conflicts.append(path)
        return stays or ours

    def _whole(self, ours: Any, theirs: Any, path: Path) -> Any:
        if not self.base.edited(ours, path):
            return theirs
        if self.base.edited(theirs, path):
            self.conflicts.append(path)
        return ours

    def _only_ours(self, ours: Any, path: Path) -> Any:
        if is_set(ours, path) and path[-1] in _CHOICES:
            return ABSENT if self.base.wrote_set(ours, path) else ours
        edited = self.base.edited(ours, path)
        if not edited:
            return ABSENT
        if is_set(ours, path):
            return [item for item in ours if not self.base.had_member(item, path)]
        if (is_object(ours) or is_array(ours)) and self.base.had(path):
            for place, leaf in edited:
                if leaf != {} or not self.base.had(place):  # else all was removed there, see `removals`
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
    behind: dict[str | None, list[str]] = {None: []}
    last: str | None = None
    for key in theirs:
        if key in ours:
            last = key
        else:
            behind.setdefault(last, []).append(key)
    return [*behind[None], *(each for key in ours for each in (key, *behind.get(key, ())))]


def _without(value: dict[str, Any], steps: list[str]) -> dict[str, Any]:
    """Return a copy without a field of a schema, which is not required either."""
    key, *rest = steps
    if len(rest) > 1:
        return {**value, key: _without(value[key], rest)}
    made = {**value, key: {name: inner for name, inner in value[key].items() if name != rest[0]}}
    if is_array(required := made.get("required")):
        made["required"] = [name for name in required if name != rest[0]]
    return made


def _with(value: dict[str, Any], steps: list[str], leaf: Any) -> dict[str, Any]:
    """Return a copy with another leaf."""
    key, *rest = steps
    return {**value, key: _with(value[key], rest, leaf) if rest else leaf}
