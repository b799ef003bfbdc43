"""Spelling: one typo is corrected, two are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.search.ranking import Spelling, is_slip

LETTERS = "abcd"


@pytest.mark.parametrize("word", ["mesage", "messsage", "massage", "messaeg"])
def test_one_added_missing_wrong_or_swapped_letter_is_corrected(word: str) -> None:
    assert Spelling(["message"]).near(word) == ["message"]


@pytest.mark.parametrize("word", ["msgae", "essage", "mess", "m3ssage", "mesagse2", "", "x" * 100])
def test_two_errors_first_letters_short_words_and_digits_are_not_corrected(word: str) -> None:
    assert Spelling(["message"]).near(word) == []


def typos(word: str) -> set[str]:
    """Return all words that differ by one typo, by brute force."""
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    made = {head + letter + tail for head, tail in cuts for letter in LETTERS}
    made |= {head + tail[1:] for head, tail in cuts if tail}
    made |= {head + letter + tail[1:] for head, tail in cuts if tail for letter in LETTERS}
    made |= {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    return made - {word}


@given(st.text(LETTERS, min_size=1, max_size=6), st.text(LETTERS, min_size=1, max_size=6))
def test_corrections_match_a_brute_force_search(one: str, other: str) -> None:
    if abs(len(one) - len(other)) <= 1 and one != other:
        assert is_slip(one, other) == (other in typos(one))
