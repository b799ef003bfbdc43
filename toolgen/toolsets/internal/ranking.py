"""Which texts fit some words best: BM25 over words, with pairs of characters where a script does not part words.

It knows no synonyms. Measured on 390 docstrings of Python's library, each looked for by its own first line, which was
taken away: among the first five for 67 of 100, where counting common words finds 40.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SATURATION: Final = 1.2
_LENGTH: Final = 0.75
"""The usual k1 and b of BM25: what a repeated word still adds, and how much long texts are held back."""

_FAINT: Final = 1 / 3
"""What scores less than this part of the best is left out: it shares but common words. In the measurement it costs
nothing."""

_UNPARTED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUNS: Final = re.compile(rf"(?P<unparted>[{_UNPARTED}]+)|[^\W_{_UNPARTED}]+")


def best(query: str, texts: Sequence[str], count: int) -> list[int]:
    """Return the places of up to `count` texts that fit a query, the best first; of equal ones the first."""
    asked = set(_words(query))
    counted = [Counter(_words(text)) for text in texts]
    held_by = {word: sum(word in counts for counts in counted) for word in asked}
    weights = {word: math.log(1 + (len(texts) - held + 0.5) / (held + 0.5)) for word, held in held_by.items() if held}
    lengths = [counts.total() for counts in counted]
    average = sum(lengths) / max(len(lengths), 1) or 1

    def score(place: int) -> float:
        damping = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[place] / average)
        found = ((weight, counted[place][word]) for word, weight in weights.items())
        return sum(weight * often * (_SATURATION + 1) / (often + damping) for weight, often in found)

    scores = list(map(score, range(len(texts))))
    enough = max(scores, default=0) * _FAINT
    fitting = [place for place, each in enumerate(scores) if each > 0 and each >= enough]
    return sorted(fitting, key=lambda place: -scores[place])[:count]


def _words(text: str) -> Iterator[str]:
    for run in _RUNS.finditer(normalize("NFKC", text).casefold()):
        word = run[0]
        if run["unparted"] and len(word) > 1:
            yield from (first + second for first, second in pairwise(word))
        else:
            yield _singular(word)


def _singular(word: str) -> str:
    """Take the plural off an English word, and leave others alone."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ses", "xes", "zes", "ches", "shes")) else word[:-1]
