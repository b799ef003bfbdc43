"""Base: what an import wrote, as fingerprints, so that the next one sees what people changed since.

A value is taken apart into leaves: a path and a scalar. A spec keeps six bytes of each leaf, three of the path and
three of both, as base64. That is enough to tell for each leaf of a spec whether an import wrote it, and for each leaf
of a source whether a spec had it once.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import canonical, is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Path = tuple[str | int, ...]
"""Where a value is in another: keys and indexes."""

_WIDTH: Final = 3
"""Bytes of a path, and of a path with its value: an edit is taken for what an import wrote once in 16 million."""

_COUNT: Final = "#"
_MEMBER: Final = "="
"""Steps that no key of a mapping follows: the length of a list, and a member of a list that is a set."""

_SETS: Final = frozenset({"required", "enum", "type", "tags"})
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


@dataclass(frozen=True, slots=True)
class Base:
    """The fingerprints of a value. `entries` are those of its leaves, `paths` those of their paths.

    `parts` are parts of the value that an import wrote elsewhere, by their place.
    """

    entries: frozenset[bytes]
    paths: frozenset[bytes]
    parts: Mapping[Path, Base] = field(default_factory=dict[Path, "Base"])

    @classmethod
    def of(cls, value: Any) -> Base:
        """Take the fingerprints of a value."""
        return cls._of(_entry(path, leaf) for path, leaf in leaves(value))

    @classmethod
    def parsed(cls, text: str) -> Base:
        """Read the text of fingerprints. Of one that is damaged nothing is known: all of a spec counts as edited."""
        try:
            data = urlsafe_b64decode(text.encode("ascii"))
        except ValueError:
            data = b""
        if len(data) % (2 * _WIDTH):
            data = b""
        return cls._of(data[at : at + 2 * _WIDTH] for at in range(0, len(data), 2 * _WIDTH))

    @classmethod
    def _of(cls, entries: Iterable[bytes]) -> Base:
        found = frozenset(entries)
        return cls(found, frozenset(entry[:_WIDTH] for entry in found))

    @property
    def text(self) -> str:
        """The fingerprints as a spec keeps them."""
        return urlsafe_b64encode(b"".join(sorted(self.entries))).decode("ascii")

    def with_leaf(self, path: Path, leaf: Any) -> Base:
        """Return the fingerprints with one more leaf."""
        return self._of({*self.entries, _entry(path, leaf)})

    def without_leaf(self, path: Path, leaf: Any) -> Base:
        """Return the fingerprints with one leaf less."""
        return self._of(self.entries - {_entry(path, leaf)})

    def wrote(self, path: Path, leaf: Any) -> bool:
        """Whether the import wrote this leaf."""
        base, place = self._at(path)
        return _entry(place, leaf) in base.entries

    def had(self, value: Any, path: Path) -> bool:
        """Whether the import wrote anything where this value has a leaf."""
        found = (self._at(place) for place, _ in leaves(value, path))
        return any(_digest(canonical(list(place))) in base.paths for base, place in found)

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


UNKNOWN: Final = Base(frozenset(), frozenset())
"""The base of what no import wrote."""


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
