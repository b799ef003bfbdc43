"""The merge of two versions of a mapping: the order of its keys, in time that grows with their number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from tests.work import assert_linear
from toolgen.compiler.importers.merge import UNKNOWN, Merge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def merged(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    return list(Merge(UNKNOWN).merged(dict.fromkeys(ours, 1), dict.fromkeys(theirs, 1)))


def one_by_one(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Put each key that only theirs has behind the one before it there."""
    keys = list(ours)
    last = -1
    for key in theirs:
        if key in ours:
            last = keys.index(key)
        else:
            last += 1
            keys.insert(last, key)
    return keys


@given(ours=KEYS, theirs=KEYS)
def test_a_key_that_is_new_follows_the_one_that_it_follows_at_the_source(ours: list[str], theirs: list[str]) -> None:
    assert merged(ours, theirs) == one_by_one(ours, theirs)


def test_the_time_grows_with_the_number_of_keys() -> None:
    def work(size: int) -> Callable[[], Any]:
        ours = {f"k{at}": 1 for at in range(size)}
        theirs = {f"k{at}": 1 for at in range(size // 2, size + size // 2)}
        return partial(Merge(UNKNOWN).merged, ours, theirs)

    assert_linear(work, 16_000)
