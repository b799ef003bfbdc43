"""Stems of English words, by the algorithm of M. F. Porter, "An algorithm for suffix stripping", 1980.

Words of other languages pass as they are, unless they end as English ones do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ENGLISH: Final = re.compile(r"[a-z]{3,}")
_CONSONANT: Final = r"(?:[^aeiouy]|(?:^|(?<=[aeiou]))y)"
_VOWEL: Final = r"(?:[aeiou]|(?<=[^aeiou])y)"
_HAS_VOWEL: Final = re.compile(_VOWEL)
_MEASURE: Final = re.compile(f"{_VOWEL}+{_CONSONANT}+")
_DOUBLE: Final = re.compile(r"([^aeiou])\1$")
_SHORT_END: Final = re.compile(f"{_CONSONANT}{_VOWEL}[^aeiouwxy]$")

_STEP_2: Final = {
    "ational": "ate",
    "ization": "ize",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "tional": "tion",
    "biliti": "ble",
    "entli": "ent",
    "ousli": "ous",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "iviti": "ive",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "ator": "ate",
    "eli": "e",
}
_STEP_3: Final = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ness": "",
    "ful": "",
}
_STEP_4: Final = re.compile(
    r"(?:ement|ance|ence|able|ible|ment|(?<=[st])ion|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou)$"
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of a word in lower case: `recommendations` and `recommended` both give `recommend`."""
    if not _ENGLISH.fullmatch(word):
        return word
    word = _without_participle(_without_plural(word))
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    ending = _STEP_4.search(word)
    if ending and _measure(word[: ending.start()]) > 1:
        word = word[: ending.start()]
    return _without_last(word)


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    ending = 2 if word.endswith("ed") else 3 if word.endswith("ing") else 0
    if not ending or not _HAS_VOWEL.search(word[:-ending]):
        return word
    word = word[:-ending]
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if _DOUBLE.search(word) and word[-1] not in "lsz":
        return word[:-1]
    return f"{word}e" if _measure(word) == 1 and _SHORT_END.search(word) else word


def _replaced(word: str, endings: dict[str, str]) -> str:
    """Replace the longest ending of a table that fits, if enough stands before it."""
    for ending, other in endings.items():
        if word.endswith(ending):
            kept = word[: -len(ending)]
            return kept + other if _measure(kept) else word
    return word


def _without_last(word: str) -> str:
    if word.endswith("e"):
        kept = word[:-1]
        if _measure(kept) > 1 or (_measure(kept) == 1 and not _SHORT_END.search(kept)):
            return kept
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _measure(word: str) -> int:
    """Count how often consonants follow vowels; Porter's m."""
    return len(_MEASURE.findall(word))
