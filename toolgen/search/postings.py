"""Postings: the documents of each word, stored by a build, and added later."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Postings:
    """For each word `[place, weight, place, ...]`, of stored documents and of added ones."""

    def __init__(self, stored: Mapping[str, Sequence[int]], added: Mapping[str, Sequence[int]]) -> None:
        self._stored = stored
        self._added = added

    def __iter__(self) -> Iterator[str]:
        yield from self._stored
        yield from (word for word in self._added if word not in self._stored)

    def get(self, word: str) -> Sequence[int]:
        """Return the postings of a word; empty if no document has it."""
        return (*self._stored.get(word, ()), *self._added.get(word, ()))

    def extended(self, words: Mapping[str, Sequence[int]]) -> Postings:
        """Return the postings with those of added documents."""
        more = {word: (*self._added.get(word, ()), *places) for word, places in words.items()}
        return Postings(self._stored, {**self._added, **more})
