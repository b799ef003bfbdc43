"""Stems: examples of Porter's paper of 1980, and words that are not English."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import assert_linear
from toolgen.search.documents import CountedDocument, SearchDocument
from toolgen.search.words import _words_of_run, stem, words_of

if TYPE_CHECKING:
    from collections.abc import Callable

PAIRS = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat",
    "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall", "hissing": "hiss",
    "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat",
    "conditional": "condit", "rational": "ration", "valenci": "valenc", "digitizer": "digit", "operator": "oper",
    "decisiveness": "decis", "hopefulness": "hope", "formality": "formal", "sensibility": "sensibl",
    "triplicate": "triplic", "formative": "form", "formalize": "formal", "electrical": "electr", "goodness": "good",
    "revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin", "adjustable": "adjust",
    "replacement": "replac", "adoption": "adopt", "communism": "commun", "activate": "activ", "effective": "effect",
    "probate": "probat", "rate": "rate", "cease": "ceas", "controlling": "control", "roll": "roll",
}  # fmt: skip


@pytest.mark.parametrize(("word", "expected"), PAIRS.items())
def test_stems_match_the_examples_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["is", "42", "s3", "café", "заказ", "Running", ""])
def test_anything_but_lower_case_english_words_is_unchanged(word: str) -> None:
    assert stem(word) == word


@given(st.text("abcdefghijklmnopqrstuvwxyz", max_size=30))
def test_a_stem_is_never_empty_and_at_most_one_letter_longer_than_its_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)
    assert len(stem(word)) <= len(word)


@pytest.mark.parametrize("word", ["recommendations" * 5, "a" * 64 + "s", "b" * 64 + "ing"])
def test_what_is_too_long_for_a_word_is_unchanged(word: str) -> None:
    assert stem(word) == word


def _forget() -> None:
    for each in (stem, _words_of_run):
        each.cache_clear()


@pytest.mark.parametrize("end", ["", "e", "s", "ed", "ing", "ational", "ement", "ll", "y", " ", "\0"])
@pytest.mark.parametrize("part", ["a", "y", "b", "ay", "ya", "yb", "ab", "s", "l", "A", "Aa", "a1", "\u2172", "雨"])
def test_words_are_found_in_time_in_proportion_to_a_text(part: str, end: str) -> None:
    def work(size: int) -> Callable[[], object]:
        _forget()
        return partial(words_of, part * (size // len(part)) + end)

    assert_linear(work, 6_000)


@pytest.mark.parametrize("part", ["a", "ya", "ab"])
def test_a_tool_is_indexed_in_time_in_proportion_to_its_description(part: str) -> None:
    def work(size: int) -> Callable[[], object]:
        _forget()
        document = SearchDocument(key="a.b", names=("a.b",), description=part * (size // len(part)) + "e")
        return partial(CountedDocument.of, document)

    assert_linear(work, 6_000)
