"""Ranking: BM25 over the visible documents, exactly as if there were no others.

Statistics of the collection (how many documents have a word, their average length) are those of these documents only,
so that neither the order nor a score reveals other documents. Scores are integers, in millionths: their sums do not
depend on the order, and are the same on every machine.

Scores are returned with the score of an ideal document that has only the words of the query: their ratio can be
combined with other measures, such as the similarity of vectors (Bruch, Gai and Ingber 2023).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import Final

from toolgen.search.synonyms import meant, related
from toolgen.search.words import values_of, words_of

# Spelling: known words similar to a misspelled one.

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


# Postings: the documents of each word, stored by a build, and added later.


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


SCALE: Final = 1_000_000

SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""The usual k1 and b of BM25: the weight of repeated words, and the normalization of long documents."""


def damping(length: int, average: float) -> float:
    """Return what BM25 adds to the count of a word in a document of a length, given the average length."""
    return SATURATION * (1 - _LENGTH + _LENGTH * length / average)


def rarity(holders: int, documents: int) -> float:
    """Return the weight that BM25 gives a word that some of the documents have."""
    return math.log(1 + (documents - holders + 0.5) / (holders + 0.5))


_OTHER_WORD: Final = 0.7
"""The weight of a synonym, of a suggested word, and of one with one spelling error. Tuned on the tuning half of
`benchmarks/search_queries.jsonl`."""

_VALUE: Final = 60
"""The weight of a number in a query, or of a capitalized name inside a sentence, in percent: it is more often the value
of an argument than the purpose of a tool. Tuned there too, where 40 to 80 came within one point of each other."""

_CHARACTERS: Final = 4_000
_WORDS: Final = 64
"""Maximum characters and words of a query."""

_KEPT: Final = 2_048
"""Maximum number of words with cached scores."""


class Ranking:
    """Ranks some documents of an index, identified by their places. Scores of words are cached."""

    def __init__(self, lengths: Mapping[int, int], postings: Postings, spelling: Callable[[], Spelling]) -> None:
        """Take the lengths of these documents in words, the postings, and the spelling correction."""
        self._count = len(lengths)
        average = sum(lengths.values()) / (self._count or 1) or 1
        self._damping = {place: damping(length, average) for place, length in lengths.items()}
        self._postings = postings
        self._spelling = spelling
        self._scores_of_one = lru_cache(maxsize=_KEPT)(self._weighed)
        self._scores = lru_cache(maxsize=_KEPT)(self._fitting)

    def best(self, query: str, count: int) -> tuple[dict[int, int], int]:
        """Return the documents that match a query best, and the score of an ideal document.

        The documents, `count` and ties, are places with scores.
        """
        words, values, found = self._scored(query)
        most = sum(
            int(self._rarity(len(self._scores_of_one(word)))) * (_VALUE if word in values else 100) // 100
            for word in dict.fromkeys(words)
        )
        return (_best_sums(list(found.values()), count) if count > 0 else {}), most

    def shares(self, query: str, place: int) -> dict[str, int]:
        """Return what each word of a query adds to the score of a document, for people."""
        _, _, found = self._scored(query)
        return {word: scores[place] for word, scores in found.items() if place in scores}

    def _scored(self, query: str) -> tuple[Sequence[str], Collection[str], dict[str, dict[int, int]]]:
        """Return the words of a query, those of them that are values, and the scores of documents by word."""
        read = query[:_CHARACTERS]
        words = words_of(meant(read))[:_WORDS]
        values = values_of(read)
        asked = dict.fromkeys((*words, *self._joined(words)))
        found = {word: scores for word in asked if (scores := self._asked(word, is_value=word in values))}
        return words, values, found

    def _joined(self, words: Iterable[str]) -> Iterator[str]:
        """Return the known words that result from joining two adjacent words of a query."""
        joined = (first + second for first, second in pairwise(words))
        return (word for word in joined if self._scores_of_one(word))

    def _asked(self, word: str, *, is_value: bool) -> dict[int, int]:
        scores = self._scores(word)
        return {place: score * _VALUE // 100 for place, score in scores.items()} if is_value else scores

    def _fitting(self, word: str) -> dict[int, int]:
        """Return the scores of documents for a word of a query, or for its best related word or correction."""
        merged = dict(self._scores_of_one(word))
        others = [self._scores_of_one(other) for other in related().get(word, ())]
        if not merged and not any(others):
            others = [self._scores_of_one(near) for near in self._spelling().near(word)]
        for scores in others:
            for place, score in scores.items():
                lowered = int(score * _OTHER_WORD)
                if lowered > merged.get(place, 0):
                    merged[place] = lowered
        return merged

    def _weighed(self, word: str) -> dict[int, int]:
        """Return the scores of documents for exactly a word; empty if none has it."""
        pairs = iter(self._postings.get(word))
        added = self._damping
        held = [(place, weight) for place, weight in zip(pairs, pairs, strict=True) if place in added]
        worth = self._rarity(len(held))
        return {place: int(worth * weight / (weight + added[place])) for place, weight in held}

    def _rarity(self, holders: int) -> float:
        return SCALE * rarity(holders, self._count)


def _best_sums(found: list[dict[int, int]], count: int) -> dict[int, int]:
    """Sum scores by place; return the `count` best, and ties with the last of them.

    Words with the highest scores come first. When the remaining ones cannot raise a new document to the best, only
    documents that are still candidates are processed (MaxScore; Turtle and Flood 1995).
    """
    lists = sorted(((max(scores.values()), scores) for scores in found), key=lambda each: -each[0])
    left, seen, least = sum(most for most, _ in lists), 0, 0
    sums: dict[int, int] = {}
    rest = iter(lists)
    for most, scores in rest:
        _add(sums, scores)
        left, seen = left - most, seen + most
        if left * 2 < seen and left < (least := _least(sums, count)):
            break
    sums = {place: score for place, score in sums.items() if score >= least - left}
    for most, scores in rest:
        left -= most
        sums = {place: score + scores.get(place, 0) for place, score in sums.items()}
        least = _least(sums, count)
        sums = {place: score for place, score in sums.items() if score >= least - left}
    return sums


def _add(sums: dict[int, int], scores: dict[int, int]) -> None:
    if not sums:
        sums.update(scores)
        return
    get = sums.get
    for place, score in scores.items():
        sums[place] = get(place, 0) + score


def _least(sums: dict[int, int], count: int) -> int:
    """Return the lowest of the `count` best scores; 0 if there are fewer."""
    best = nlargest(count, sums.values())
    return best[-1] if len(best) == count else 0
