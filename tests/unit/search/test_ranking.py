"""Ranking: the scores are those of BM25, and the optimized search finds the same as adding everything."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.llm.search.worlds import document
from toolgen.llm.search.index import SearchIndex
from toolgen.search.ranking import _best_sums

scores = st.dictionaries(st.integers(0, 15), st.integers(0, 40), min_size=1)


@given(st.lists(scores, max_size=6), st.integers(1, 6))
@example([{0: 40, 1: 3}, {2: 5}], 2)
def test_the_best_sums_equal_those_of_adding_everything(found: list[dict[int, int]], count: int) -> None:
    sums: dict[int, int] = {}
    for each in found:
        for place, score in each.items():
            sums[place] = sums.get(place, 0) + score
    least = sorted(sums.values(), reverse=True)[:count][-1] if len(sums) >= count else 0
    assert _best_sums(found, count) == {place: score for place, score in sums.items() if score >= least}


def test_scores_are_bm25_relative_to_the_total_weight_of_the_query() -> None:
    index = SearchIndex.build(
        [document("x", "rain rain"), document("y", "rain and a long walk home"), document("z", "sun")]
    )
    rarity = math.log(1 + 1.5 / 2.5)  # two of three documents contain the word
    average = (6 + 10 + 4) / 3  # words of the description and of the name, each counted twice
    expected = {
        "x": rarity * 4 / (4 + 1.2 * (0.25 + 0.75 * 6 / average)),
        "y": rarity * 2 / (2 + 1.2 * (0.25 + 0.75 * 10 / average)),
    }
    unknown = math.log(1 + 3.5 / 0.5)  # none has "snow", "2020", or "Oslo", and the last two are values
    for query, most in (
        ("raining", rarity),
        ("rain and snow", rarity + unknown),
        ("rain in Oslo", rarity + 0.6 * unknown),
    ):
        found = {hit.key: hit.score for hit in index.search(query, 3)}
        assert found == pytest.approx({key: score / most for key, score in expected.items()}, abs=1e-5)


def test_the_purpose_of_a_tool_outweighs_values_of_arguments() -> None:
    index = SearchIndex.build(
        [document("a.climate", "Climate of Denver."), document("b.flights", "Flights to a city.")]
    )
    assert [hit.key for hit in index.search("flights Denver", 2)] == ["b.flights", "a.climate"]
    assert [hit.key for hit in index.search("flights from Denver", 2)] == ["b.flights", "a.climate"]
    assert [hit.key for hit in index.search("Denver", 2)] == ["a.climate"], "alone it is the whole query"
