"""Sets of characters, as sorted ranges of code points, and what the classes of patterns mean in jsonschema-rs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Ranges: TypeAlias = tuple[tuple[int, int], ...]

ALL: Final[Ranges] = ((0, 0xD7FF), (0xE000, 0x10FFFF))
"""All characters: code points without surrogates."""

DIGITS: Final[Ranges] = ((0x30, 0x39),)
WORDS: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACES: Final[Ranges] = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
    *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
"""As ECMA-262 defines `\\d`, `\\w` and `\\s`."""

_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. "


def without(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return all other characters."""
    left: list[tuple[int, int]] = []
    for low, high in ALL:
        start = low
        for first, last in sorted(ranges):
            if last < start or first > high:
                continue
            if first > start:
                left.append((start, first - 1))
            start = max(start, last + 1)
        if start <= high:
            left.append((start, high))
    return tuple(left)


ANY_BUT_NEWLINE: Final = without([(0x0A, 0x0A)])
"""What `.` matches."""


class Alphabet:
    """Characters in classes: those of one class are in the same sets."""

    def __init__(self, sets: Iterable[Ranges]) -> None:
        self._sets = tuple(dict.fromkeys(sets))
        cuts = sorted({0, 0xE000, *(cut for ranges in self._sets for low, high in ranges for cut in (low, high + 1))})
        members: dict[tuple[bool, ...], list[tuple[int, int]]] = {}
        for low, next_ in zip(cuts, [*cuts[1:], 0x110000], strict=True):
            high = min(next_ - 1, 0xD7FF) if low < 0xD800 else next_ - 1
            if low <= high and not 0xD800 <= low <= 0xDFFF:
                members.setdefault(tuple(_has(ranges, low) for ranges in self._sets), []).append((low, high))
        self.characters = [_nicest(ranges) for ranges in members.values()]
        """A character of each class."""
        self.alternatives = {
            character: _other(ranges, character)
            for character, ranges in zip(self.characters, members.values(), strict=True)
        }
        """Another character of the class of each of these; the same if there is no other."""
        signatures = list(members)
        self._classes = {
            ranges: frozenset(number for number, signature in enumerate(signatures) if signature[index])
            for index, ranges in enumerate(self._sets)
        }

    def classes_of(self, ranges: Ranges) -> frozenset[int]:
        """Return the numbers of the classes of a set."""
        return self._classes[ranges]


def _has(ranges: Ranges, point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)


def _other(ranges: Sequence[tuple[int, int]], character: str) -> str:
    points = (point for low, high in ranges for point in (low, min(low + 1, high), high))
    return next((chr(point) for point in points if chr(point) != character), character)


def _nicest(ranges: Sequence[tuple[int, int]]) -> str:
    own = tuple(ranges)
    preferred = next((each for each in _PREFERRED if _has(own, ord(each))), "")
    printable = next((chr(point) for point in range(0x21, 0x7F) if _has(own, point)), "")
    return preferred or printable or chr(own[0][0])
