"""Words: the tokens of a text, for documents and queries, and their stems."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final
from unicodedata import normalize

# Stems of English words, by the algorithm of M. F. Porter, "An algorithm for suffix stripping", 1980.
#
# Words of other languages pass as they are, unless they end as English ones do. So does what is too long for a word.

_ENGLISH: Final = re.compile(r"[a-z]{3,64}")
_CONSONANT: Final = r"(?:[^aeiouy]|(?:^|(?<=[aeiou]))y)"
_VOWEL: Final = r"(?:[aeiou]|(?<=[^aeiou])y)"
_HAS_VOWEL: Final = re.compile(_VOWEL)
_MEASURE: Final = re.compile(f"{_VOWEL}(?={_CONSONANT})")
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


STOP_WORDS: Final = frozenset(
    """a about all also am an and any are as at be because been being but by can cant could did do does doing dont for
    from had has have having he her hers him his how i id if im in into is isnt it its itself ive just like lets may me
    might mine more most must my no nor not of off on or other our ours out over own per please shall she should so
    some such than thank thanks that thats the their theirs them then there these they this those to too us very want
    was we were what whats when where which while who whom whose why will with within would you your yours""".split()
)
"""English function words, which are ignored."""

_UNPARTED: Final = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Scripts without spaces between words."""

_UNPARTED_RUN: Final = re.compile(f"[{_UNPARTED}]+")
_RUN: Final = re.compile(rf"[{_UNPARTED}]+|[^\W_{_UNPARTED}]+")
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_APOSTROPHE: Final = re.compile(r"(?<=\w)['\u2019](?:s\b)?")
_ACCENTS: Final = re.compile(r"[\u0300-\u036f]+")


_OPENING: Final = " \t\r\n\"'([{\u201c\u2018"
_SENTENCE_END: Final = ".!?:;"


def words_of(text: str) -> list[str]:
    """Return the words of a text in order: stems in lower case, without stop words.

    Names are split at dots, dashes, underscores, capitals and digits: `getHTTPStatus_2` becomes `get http statu 2`. A
    name of two parts is also one word, with or without a number, since people write `WiFi` without a space, and `oauth`
    for `OAuth2`. For scripts without spaces, every pair of characters is a word.
    """
    return [word for run in _RUN.findall(_plain(text)) for word in _words_of_run(run)]


def values_of(text: str) -> set[str]:
    """Return the words of a text that are only values: numbers, and capitalized names inside a sentence.

    `Flights from Denver at 7.30` has `denver`, `7` and `30`.
    """
    plain = _plain(text)
    values: set[str] = set()
    others: set[str] = set()
    for run in _RUN.finditer(plain):
        (values if _is_value(plain, run) else others).update(_words_of_run(run[0]))
    return values - others


def _is_value(text: str, run: re.Match[str]) -> bool:
    word = run[0]
    if any(map(str.isdigit, word)):
        return True
    before = text[: run.start()].rstrip(_OPENING)
    return word[0].isupper() and word[1:].islower() and before != "" and before[-1] not in _SENTENCE_END


def _plain(text: str) -> str:
    return _APOSTROPHE.sub("", text if text.isascii() else normalize("NFKC", text))


@lru_cache(maxsize=1 << 16)
def _words_of_run(run: str) -> tuple[str, ...]:
    if _UNPARTED_RUN.match(run):
        return tuple(first + second for first, second in pairwise(run)) or (run,)
    plain = run if run.isascii() else _ACCENTS.sub("", normalize("NFKD", run))
    parts = _PART.findall(plain) if plain.isascii() else [plain]
    letters = [part for part in parts if not part.isdigit()]
    if len(parts) == 2:
        parts.append(plain)
    elif len(letters) == 2:
        parts.append("".join(letters))
    words = (part.casefold() for part in parts)
    return tuple(stem(word) for word in words if word not in STOP_WORDS)
