"""Near misses: the known names that somebody may have meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from heapq import nlargest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPARED = 100
"""difflib takes some 30 µs a pair; only names that share the most words with the one asked for are compared."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> tuple[str, ...]:
    """Give up to `count` known names that resemble `name`, best first. Linear in the number of names, and bounded."""
    asked = name[:200].casefold()
    words = _words(asked)
    shortlist = nlargest(_COMPARED, known, key=lambda other: len(words & _words(other.casefold())))
    spelled = {other.casefold(): other for other in shortlist}
    return tuple(spelled[match] for match in get_close_matches(asked, spelled, n=count))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text))
