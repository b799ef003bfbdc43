"""How good search is over real tools: the share of our own questions with a right tool among the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.searches import TOOLS, PlainBM25, fused_search, read_queries, real_documents, recall
from toolgen.llm.search.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.search.documents import SearchDocument

QUERIES = read_queries()

needs_tools = pytest.mark.skipif(not TOOLS.is_file(), reason="shared/data does not stand beside the checkout")
pytestmark = pytest.mark.xdist_group("search-quality")


@pytest.fixture(scope="module")
def documents() -> list[SearchDocument]:
    return real_documents()


@pytest.fixture(scope="module")
def index(documents: list[SearchDocument]) -> Index:
    return Index.build(documents)


def test_there_are_enough_questions_in_both_halves_and_none_twice() -> None:
    assert len({query.text for query in QUERIES}) == len(QUERIES) >= 200
    halves = [query.half for query in QUERIES]
    assert min(halves.count("tuning"), halves.count("held_out")) >= 100


@needs_tools
def test_every_label_is_a_tool(documents: list[SearchDocument]) -> None:
    assert {tool for query in QUERIES for tool in query.tools} <= {each.key for each in documents}


@needs_tools
def test_lexical_search_beats_plain_bm25_by_five_points_on_the_half_that_nobody_tuned_on(
    documents: list[SearchDocument], index: Index
) -> None:
    held_out = [query for query in QUERIES if query.half == "held_out"]
    plain = recall(held_out, PlainBM25(documents).search)["held_out"]
    ours = recall(held_out, lambda query, limit: [hit.key for hit in index.search(query, limit)])["held_out"]
    assert ours["at_5"] >= plain["at_5"] + 0.05, (plain, ours)
    assert ours["at_1"] >= 0.57, ours
    assert ours["at_5"] >= 0.78, ours
    assert ours["at_10"] >= 0.82, ours


@needs_tools
def test_tus_14_recall_of_search_with_an_embedder_is_reported_and_has_a_threshold(
    documents: list[SearchDocument], index: Index, record_property: Callable[[str, object], None]
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    reported = recall(QUERIES, fused_search(documents, index))
    record_property("recall", reported)
    assert reported["tuning"]["at_10"] >= 0.78, reported
    assert reported["held_out"]["at_10"] >= 0.78, reported
