"""Ranking: the scores are those of BM25, and the shortcut to the best finds what adding all up finds."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.llm.search.worlds import document
from toolgen.llm.search.index import Index
from toolgen.search.ranking import _best_sums

scores = st.dictionaries(st.integers(0, 15), st.integers(0, 40), min_size=1)


@given(st.lists(scores, max_size=6), st.integers(1, 6))
@example([{0: 40, 1: 3}, {2: 5}], 2)
def test_the_best_sums_are_those_that_adding_all_up_gives(found: list[dict[int, int]], count: int) -> None:
    sums: dict[int, int] = {}
    for each in found:
        for place, score in each.items():
            sums[place] = sums.get(place, 0) + score
    least = sorted(sums.values(), reverse=True)[:count][-1] if len(sums) >= count else 0
    assert _best_sums(found, count) == {place: score for place, score in sums.items() if score >= least}


def test_scores_are_those_of_bm25_with_the_usual_parameters() -> None:
    index = Index.build([document("x", "rain rain"), document("y", "rain and a long walk home"), document("z", "sun")])
    rarity = math.log(1 + 1.5 / 2.5)  # two of three documents have the word
    average = (6 + 10 + 4) / 3  # words of the description and of the name, each counted twice
    expected = {
        "x": rarity * 4 / (4 + 1.2 * (0.25 + 0.75 * 6 / average)),
        "y": rarity * 2 / (2 + 1.2 * (0.25 + 0.75 * 10 / average)),
    }
    found = {hit.key: hit.score for hit in index.search("raining", 3)}
    assert found == pytest.approx(expected, abs=2e-6)
