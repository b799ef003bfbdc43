"""Synonyms: both ways, and never a word for itself."""

from __future__ import annotations

from toolgen.runtime.search.synonyms import synonyms


def test_synonyms_go_both_ways_and_no_word_stands_for_itself() -> None:
    found = synonyms()
    assert "delet" in found["remov"]
    assert all(word in found[other] for word, others in found.items() for other in others)
    assert not any(word in others for word, others in found.items())
