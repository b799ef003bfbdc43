"""Suggestions: the known names closest to a misspelled one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from heapq import nlargest

_COMPARED = 100
"""Number of names compared: those that share the most words, because difflib takes about 30 µs per pair."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Return up to `count` known names similar to `name`, best first. Takes linear time in the number of names."""
    from difflib import get_close_matches  # slow to import, and most names are known

    asked = name[:200].casefold()
    words = _words(asked)
    shortlist = nlargest(_COMPARED, known, key=lambda other: len(words & _words(other.casefold())))
    spelled = {other.casefold(): other for other in shortlist}
    return tuple(spelled[match] for match in get_close_matches(asked, spelled, n=count))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text))
