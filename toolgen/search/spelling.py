"""Spelling: known words similar to a misspelled one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORTEST: Final = 5
_LONGEST: Final = 40


class Spelling:
    """Known words by first letter and length: an error is seldom in the first letter, and changes the length by one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted(words):
            if word.isalpha():
                self._words[word[0], len(word)].append(word)

    def near(self, word: str) -> list[str]:
        """Return the words with one spelling difference, in order; none for a short word, or one with digits."""
        if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
            return []
        lengths = (len(word) - 1, len(word), len(word) + 1)
        return [known for length in lengths for known in self._words.get((word[0], length), ()) if is_slip(word, known)]


def is_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter: added, omitted, replaced, or swapped with the next."""
    if len(one) > len(other):
        one, other = other, one
    same = next((place for place, letter in enumerate(one) if letter != other[place]), len(one))
    rest, other_rest = one[same:], other[same:]
    if len(one) < len(other):
        return rest == other_rest[1:]
    if not rest:
        return False
    swapped = rest[1:2] + rest[:1] == other_rest[:2] and rest[2:] == other_rest[2:]
    return rest[1:] == other_rest[1:] or swapped
