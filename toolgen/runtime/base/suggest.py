"""Suggestions: the known names closest to a misspelled one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from heapq import nlargest

_COMPARED = 100
"""Number of names compared: those that share the most words, then both ends, because difflib takes 30 µs a pair."""


def nearest(name: str, known: Iterable[str], count: int = 3, *, cutoff: float = 0.6) -> tuple[str, ...]:
    """Return up to `count` known names similar to `name`, best first. Takes linear time in the number of names.

    `cutoff` is that of difflib, from 0 to 1: the share of letters in common.
    """
    from difflib import get_close_matches  # slow to import, and most names are known

    asked = name[:200].casefold()
    words = _words(asked)

    def in_common(other: str) -> tuple[int, int, int]:
        folded = other.casefold()
        ends = (folded[:1] == asked[:1]) + (folded[:3] == asked[:3]) + (folded[-3:] == asked[-3:])
        return len(words & _words(folded)), ends, -abs(len(folded) - len(asked))

    spelled = {other.casefold(): other for other in nlargest(_COMPARED, known, key=in_common)}
    return tuple(spelled[match] for match in get_close_matches(asked, spelled, n=count, cutoff=cutoff))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text))
