"""The index: search results, and that hidden documents have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.llm.search.worlds import TOOLS, document, queries, worlds
from toolgen.llm.search.index import SearchHit, SearchIndex
from toolgen.search.documents import SearchDocument, write_index
from toolgen.spec.derived import catalog_mark

if TYPE_CHECKING:
    from collections import Counter

INDEX = SearchIndex.build(TOOLS)


def found(query: str, limit: int = 10) -> list[str]:
    return [hit.key for hit in INDEX.search(query, limit)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Could you send Ann a message?", "mail.send_message"),
        ("what is in my inbox", "mail.list_messages"),
        ("cancelling orders", "shop.cancel_order"),
        ("recipients", "mail.send_message"),
        ("readonly", "mail.list_messages"),
        ("mail.list_messages", "mail.list_messages"),
        ("ResetPassword", "accounts.reset_password"),
    ],
)
def test_all_fields_are_searched_and_words_match_by_stem(query: str, first: str) -> None:
    assert found(query)[0] == first


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("abort my purchase", "shop.cancel_order"),
        ("temprature in Paris", "weather.forecast"),
        ("pass word", "accounts.reset_password"),
    ],
)
def test_synonyms_typos_and_split_words_are_found(query: str, first: str) -> None:
    index = SearchIndex.build([*TOOLS[:4], document("accounts.renew", "Renew a password.")])
    assert index.search(query, 1)[0].key == first.replace("reset_password", "renew")


def test_a_word_itself_beats_its_synonyms() -> None:
    index = SearchIndex.build([document("a.remove", "Remove a row."), document("b.delete", "Delete a row.")])
    assert [hit.key for hit in index.search("delete", 2)] == ["b.delete", "a.remove"]


@pytest.mark.parametrize("query", ["", "   ", "the of and", "zzzzqqqq", "?!", "🙂", "\ud800", "\x00"])
def test_a_query_without_words_finds_nothing(query: str) -> None:
    assert INDEX.search(query, 10) == ()


@pytest.mark.parametrize(
    "query", ['") OR 1=1 --', "NEAR(send message)", "name:*", "send AND NOT message", "{send}^2 -x"]
)
def test_the_syntax_of_other_engines_is_just_text(query: str) -> None:
    assert all(isinstance(hit, SearchHit) for hit in INDEX.search(query, 10))


def test_only_the_start_of_a_huge_query_is_used() -> None:
    assert INDEX.search("send " + "x" * 100_000 + " weather", 10) == INDEX.search("send " + "x" * 3_995, 10)
    assert INDEX.search("filler " * 20_000, 10) == ()


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_finds_nothing(limit: int) -> None:
    assert INDEX.search("send", limit) == ()


def test_documents_with_equal_scores_are_sorted_by_key() -> None:
    index = SearchIndex.build(document(key, "The same.") for key in ("c", "a", "b"))
    assert [hit.key for hit in index.search("same", 2)] == ["a", "b"]


def test_texts_without_spaces_are_found_by_substrings() -> None:
    index = SearchIndex.build([document("a", "天気予報を取得する"), document("b", "メールを送信する")])
    assert [hit.key for hit in index.search("今日の天気", 5)] == ["a"]


@given(worlds, queries, st.sets(st.sampled_from([f"k{number}" for number in range(11)])), st.integers(1, 12))
def test_tus_12_uac_47_a_search_among_allowed_documents_ignores_all_others(
    world: list[SearchDocument], query: str, allowed: set[str], limit: int
) -> None:
    alone = SearchIndex.build(each for each in world if each.key in allowed)
    assert SearchIndex.build(world).search(query, limit, allowed) == alone.search(query, limit)


@given(worlds, queries, st.integers(1, 12))
def test_a_smaller_limit_returns_the_first_hits_of_a_larger_one(
    world: list[SearchDocument], query: str, limit: int
) -> None:
    index = SearchIndex.build(world)
    assert index.search(query, limit) == index.search(query, 100)[:limit]


@given(worlds, worlds, queries)
def test_an_extended_index_equals_one_built_from_the_latest_documents(
    earlier: list[SearchDocument], later: list[SearchDocument], query: str
) -> None:
    merged = {each.key: each for each in (*earlier, *later)}
    extended = SearchIndex.build(earlier).extended(later)
    assert extended.search(query, 5) == SearchIndex.build(merged.values()).search(query, 5)
    assert len(extended) == len(merged)


@given(worlds, worlds, queries)
def test_a_stored_index_finds_the_same_as_the_built_one(
    world: list[SearchDocument], later: list[SearchDocument], query: str
) -> None:
    stored = SearchIndex.load(write_index(world, catalog_mark(b"")).encode())
    assert stored is not None
    assert list(stored) == sorted(each.key for each in world)
    assert stored.search(query, 5) == SearchIndex.build(world).search(query, 5)
    assert stored.extended(later).search(query, 5) == SearchIndex.build(world).extended(later).search(query, 5)


def test_only_documents_that_changed_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    counted = SearchDocument.counted_words

    def noted(self: SearchDocument) -> Counter[str]:
        read.append(self.key)
        return counted(self)

    monkeypatch.setattr(SearchDocument, "counted_words", noted)

    assert INDEX.extended(TOOLS) is INDEX
    INDEX.extended([*TOOLS[1:], document("mail.send_message", "Send a letter."), document("new.tool")])
    assert read == ["mail.send_message", "new.tool"]


def test_rankings_are_cached_only_for_the_latest_sets() -> None:
    index = SearchIndex.build(TOOLS)
    for tool in range(100):
        index.search("send", 5, frozenset({TOOLS[0].key, str(tool)}))
    assert len(index._rankings) <= 16
