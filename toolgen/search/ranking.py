"""Ranking: BM25 over the documents that may be found, exactly as if there were no others.

Figures that depend on a collection (how many documents have a word, how long they are on average) are those of these
documents alone, so that neither the order nor a score tells of another one. Scores are whole millionths: their sums
depend on no order, and are the same on every machine.

What a document scores is given beside what one would score that is about nothing but the words of the query: their
ratio compares with other measures, such as the nearness of vectors (Bruch, Gai and Ingber 2023).
"""

from __future__ import annotations

import math
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from toolgen.search.synonyms import meant, synonyms
from toolgen.search.words import values_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from toolgen.search.postings import Postings
    from toolgen.search.spelling import Spelling

SCALE: Final = 1_000_000

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""The usual k1 and b of BM25: what a repeated word still adds, and how much long documents are held back."""

_OTHER_WORD: Final = 0.7
"""How much a synonym counts, or a word that is one slip away. Tuned on the tuning half of
`benchmarks/search_queries.jsonl`."""

_VALUE: Final = 60
"""How much a number counts in a query, or a name with a capital inside a sentence, in percent: it is more often the
value of an argument than what a tool is for. Tuned there too, where 40 to 80 came within one point of each other."""

_CHARACTERS: Final = 4_000
_WORDS: Final = 64
"""What is read of a query: characters, and words."""

_KEPT: Final = 2_048
"""Words that a ranking keeps scores of."""


class Ranking:
    """Ranks some documents of an index, which are known by their places. What it works out for words it keeps."""

    def __init__(self, lengths: Mapping[int, int], postings: Postings, spelling: Callable[[], Spelling]) -> None:
        """Take the lengths of these documents in words, where all words are, and what finds mistyped ones."""
        self._count = len(lengths)
        average = sum(lengths.values()) / (self._count or 1) or 1
        self._damping = {
            place: _SATURATION * (1 - _LENGTH + _LENGTH * length / average) for place, length in lengths.items()
        }
        self._postings = postings
        self._spelling = spelling
        self._scores_of_one = lru_cache(maxsize=_KEPT)(self._weighed)
        self._scores = lru_cache(maxsize=_KEPT)(self._fitting)

    def best(self, query: str, count: int) -> tuple[dict[int, int], int]:
        """Return the documents that fit a query best, and a score that none reaches by the words of the query alone.

        The documents, `count` and those that tie, are places with scores.
        """
        read = query[:_CHARACTERS]
        words = words_of(meant(read))[:_WORDS]
        asked = dict.fromkeys((*words, *self._joined(words)))
        values = values_of(read)
        found = [scores for word in asked if (scores := self._asked(word, is_value=word in values))]
        most = sum(
            int(self._rarity(len(self._scores_of_one(word)))) * (_VALUE if word in values else 100) // 100
            for word in dict.fromkeys(words)
        )
        return (_best_sums(found, count) if count > 0 else {}), most

    def _joined(self, words: Iterable[str]) -> Iterator[str]:
        """The words that two neighbours of a query give when they are written as one."""
        joined = (first + second for first, second in pairwise(words))
        return (word for word in joined if self._scores_of_one(word))

    def _asked(self, word: str, *, is_value: bool) -> dict[int, int]:
        scores = self._scores(word)
        return {place: score * _VALUE // 100 for place, score in scores.items()} if is_value else scores

    def _fitting(self, word: str) -> dict[int, int]:
        """What documents score for a word that is asked for: for it, or the best of what may stand for it."""
        merged = dict(self._scores_of_one(word))
        others = [self._scores_of_one(other) for other in synonyms().get(word, ())]
        if not merged and not any(others):
            others = [self._scores_of_one(near) for near in self._spelling().near(word)]
        for scores in others:
            for place, score in scores.items():
                lowered = int(score * _OTHER_WORD)
                if lowered > merged.get(place, 0):
                    merged[place] = lowered
        return merged

    def _weighed(self, word: str) -> dict[int, int]:
        """What documents score for a word as it is: nothing where none of these has it."""
        pairs = iter(self._postings.get(word))
        damping = self._damping
        held = [(place, weight) for place, weight in zip(pairs, pairs, strict=True) if place in damping]
        rarity = self._rarity(len(held))
        return {place: int(rarity * weight / (weight + damping[place])) for place, weight in held}

    def _rarity(self, holders: int) -> float:
        return SCALE * math.log(1 + (self._count - holders + 0.5) / (holders + 0.5))


def _best_sums(found: list[dict[int, int]], count: int) -> dict[int, int]:
    """Sum scores by place; give the `count` best and those that tie with the last of them.

    Words that tell most come first. Once those that are left cannot lift a new document among the best, only the
    documents that still may be are looked at (MaxScore; Turtle and Flood 1995).
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
    """The lowest of the `count` best scores; 0 if there are fewer."""
    best = nlargest(count, sums.values())
    return best[-1] if len(best) == count else 0
