"""Stems: examples of Porter's paper of 1980, and words that are not English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.search.words import stem

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
