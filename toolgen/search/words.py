"""Words: the tokens of a text, for documents and queries."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final
from unicodedata import normalize

from toolgen.search.stemming import stem

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
    name of two parts is also one word, since people write `WiFi` without a space. For scripts without spaces, every
    pair of characters is a word.
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
    if len(parts) == 2:
        parts.append(plain)
    words = (part.casefold() for part in parts)
    return tuple(stem(word) for word in words if word not in STOP_WORDS)
