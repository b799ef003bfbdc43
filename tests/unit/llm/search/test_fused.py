"""Fused search with words and vectors: scores, hidden documents, the cache, and failures of embedders."""

from __future__ import annotations

import asyncio
import sqlite3
import struct
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.hashed_vectors import HashedVectors
from tests.unit.llm.search.worlds import TOOLS, document, worlds
from toolgen.llm.search.embedding import EmbeddingError
from toolgen.llm.search.index import SearchHit, SearchIndex, ToolSearch, fuse

pytest.importorskip("numpy", reason="numpy is not installed")

from toolgen.llm.search.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolgen.llm.search.embedding import Embedder
    from toolgen.search.documents import SearchDocument


def search_of(
    documents: Iterable[SearchDocument], embedder: Embedder | None = None, file: Path | None = None, **settings: Any
) -> ToolSearch:
    by_key = {each.key: each for each in documents}
    index = SearchIndex.build(by_key.values())
    made = embedder or HashedVectors()
    return ToolSearch(index, Vectors(index, made, lambda keys: [by_key[key] for key in keys], file), **settings)


def keys(search: ToolSearch, query: str, limit: int = 10, allowed: Iterable[str] | None = None) -> list[str]:
    among = None if allowed is None else frozenset(allowed)
    return [hit.key for hit in asyncio.run(search.search(query, limit, among))]


class Failing(HashedVectors):
    """An embedder that fails until it is switched on."""

    fails = True

    def embed(self, texts: Sequence[str], /) -> list[list[float]]:
        if self.fails:
            self.asked += texts
            raise EmbeddingError("the endpoint is gone")
        return super().embed(texts)


def test_a_fused_score_is_the_weighted_sum_of_word_score_and_similarity() -> None:
    near = {"a": 1.0, "b": 0.8, "c": 0.0}
    assert fuse({"b": 0.5}, near, 2, depth=50) == (SearchHit("b", 0.55 * 0.5 + 0.45 * 0.8), SearchHit("a", 0.45))
    assert fuse({}, {"b": 1.0, "a": 1.0}, 5, depth=50) == (SearchHit("a", 0.45), SearchHit("b", 0.45)), "ties go by key"
    assert [hit.key for hit in fuse({"c": 0.1}, near, 5, depth=1)] == ["a", "c"], (
        "only the most similar, and those found"
    )


def test_vectors_decide_if_words_cover_little_of_a_query() -> None:
    near = {"right": 1.0, "other": 0.7}
    assert fuse({"other": 0.1}, near, 1, depth=50)[0].key == "right"
    assert fuse({"other": 0.9}, near, 1, depth=50)[0].key == "other"


def test_similarity_does_not_depend_on_the_cosines_of_unrelated_texts() -> None:
    """The vectors of the second model have a common component, which increases all cosines."""

    class Lifted(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            lengths = ((vector, sum(each * each for each in vector) ** 0.5) for vector in super().embed(texts))
            return [[*(each / length for each in vector), 2.0] for vector, length in lengths]

    wanted, lifted = (
        asyncio.run(search_of(TOOLS, embedder).search("send a passphrase", 5)) for embedder in (None, Lifted())
    )
    assert [hit.key for hit in lifted] == [hit.key for hit in wanted]
    assert [hit.score for hit in lifted] == pytest.approx([hit.score for hit in wanted], abs=1e-5)


def test_vectors_find_documents_without_common_words() -> None:
    query = "passphr"  # not a word, and differs from all words by more than one typo
    assert SearchIndex.build(TOOLS).search(query, 1) == ()
    assert keys(search_of(TOOLS), query, 1) == ["accounts.reset_password"]


def test_without_vectors_only_words_decide() -> None:
    index = SearchIndex.build(TOOLS)
    assert asyncio.run(ToolSearch(index).search("send", 3)) == index.search("send", 3)


@given(worlds, st.sets(st.sampled_from([f"k{number}" for number in range(9)])))
def test_tus_12_vectors_of_hidden_documents_have_no_effect(world: list[SearchDocument], allowed: set[str]) -> None:
    alone = search_of(each for each in world if each.key in allowed)
    among = search_of(world)
    assert asyncio.run(among.search("send orders", 5, frozenset(allowed))) == asyncio.run(
        alone.search("send orders", 5)
    )


def test_a_document_is_embedded_once_for_each_content_and_model(tmp_path: Path) -> None:
    file = tmp_path / "vectors.sqlite"
    first, second, third = HashedVectors(), HashedVectors(), HashedVectors()
    wanted = keys(search_of(TOOLS, first, file), "send")
    assert len(first.asked) == len(TOOLS) + 1
    assert keys(search_of(TOOLS, second, file), "send") == wanted
    assert second.asked == ["send"]

    changed = [*TOOLS[1:], document("mail.send_message", "Send a letter.")]
    keys(search_of(changed, third, file), "send")
    assert third.asked == ["send", "mail.send_message\nSend a letter."]

    other = HashedVectors()
    other.model = "another"
    keys(search_of(TOOLS, other, file), "send")
    assert len(other.asked) == len(TOOLS) + 1


def stored(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as connection:
        return {digest for (digest,) in connection.execute("SELECT digest FROM vectors")}


@given(st.lists(st.tuples(st.sets(st.sampled_from(TOOLS), min_size=1), st.integers(0, 40)), max_size=6))
def test_vectors_are_kept_while_some_process_uses_them_and_no_longer(uses: list[tuple[set[Any], int]]) -> None:
    """Each process has tools of its own, and some days pass before it begins."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.sqlite"
        ages: dict[str, int] = {}
        for tools, days in uses:
            if ages:
                with closing(sqlite3.connect(file)) as connection, connection:
                    connection.execute("UPDATE uses SET day = day - ?", [days])
            ages = {digest: age + days for digest, age in ages.items()}
            embedder = HashedVectors()
            keys(search_of(tools, embedder, file), "send")
            assert set(embedder.asked) == {"send", *(each.text for each in tools if each.digest not in ages)}
            ages |= dict.fromkeys((each.digest for each in tools), 0)
            ages = {digest: age for digest, age in ages.items() if age <= 30}
            assert stored(file) == ages.keys()


@pytest.mark.parametrize("change", ["DROP TABLE uses", "UPDATE uses SET day = day + 1000"])
def test_vectors_whose_use_is_not_known_count_as_used_now(tmp_path: Path, change: str) -> None:
    file = tmp_path / "vectors.sqlite"
    keys(search_of(TOOLS, HashedVectors(), file), "send")
    before = stored(file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(change)
    for tools in (TOOLS[:1], TOOLS):
        embedder = HashedVectors()
        keys(search_of(tools, embedder, file), "send")
        assert embedder.asked == ["send"]
        assert stored(file) == before


def test_alternating_agents_find_their_own_documents() -> None:
    search = search_of(TOOLS)
    assert keys(search, "passphr", 1, ["mail.send_message", "accounts.reset_password"]) == ["accounts.reset_password"]
    assert keys(search, "passphr", 1, ["mail.send_message", "weather.forecast"]) != ["accounts.reset_password"]
    assert keys(search, "passphr", 1) == ["accounts.reset_password"]


def test_documents_added_later_are_found_and_only_they_are_embedded() -> None:
    known = {each.key: each for each in TOOLS}
    embedder, index = HashedVectors(), SearchIndex.build(TOOLS)
    search = ToolSearch(index, Vectors(index, embedder, lambda keys: [known[key] for key in keys]))
    keys(search, "send")
    embedder.asked.clear()
    known["mail.send_message"] = document("mail.send_message", "Dispatch a telegram.")
    known["mail.drafts"] = document("mail.drafts", "What was not sent.")
    search.extend(known.values())
    assert keys(search, "telegr", 1) == ["mail.send_message"]
    assert embedder.asked == ["telegr", known["mail.drafts"].text, known["mail.send_message"].text]


def test_only_visible_documents_are_sent_to_an_embedder() -> None:
    embedder = HashedVectors()
    keys(search_of(TOOLS, embedder), "send", allowed=["weather.forecast", "not.there"])
    assert [text.partition("\n")[0] for text in embedder.asked] == ["send", "weather.forecast"]


def test_tus_13_a_failing_embedder_falls_back_to_words_and_warns_once(caplog: pytest.LogCaptureFixture) -> None:
    embedder, now = Failing(), [0.0]
    search = search_of(TOOLS, embedder, clock=lambda: now[0])
    wanted = [hit.key for hit in SearchIndex.build(TOOLS).search("passphrase send", 10)]

    assert keys(search, "passphrase send") == keys(search, "passphrase send") == wanted
    assert len(embedder.asked) == 1, "it is not called again for a while"
    now[0] += 60
    assert keys(search, "passphrase send") == wanted
    assert len(embedder.asked) == 2
    assert [each.getMessage() for each in caplog.records] == ["search continues without vectors: the endpoint is gone"]

    embedder.fails = False
    now[0] += 60
    assert keys(search, "passphr", 1) == ["accounts.reset_password"]


@pytest.mark.parametrize(
    "made", [[[1.0]], [[1.0], [2.0, 3.0]], "no vectors", [[float("nan")]] * 5, [1.0] * 5, [["x"]] * 5, None]
)
def test_invalid_vectors_fall_back_to_words(made: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Odd(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            odd: list[list[float]] = made
            return odd

    assert keys(search_of(TOOLS, Odd()), "send", 1) == ["mail.send_message"]
    assert "hashed-pieces did not return one vector of the same length" in caplog.text


@pytest.mark.parametrize("raised", [ConnectionError("secret"), ZeroDivisionError(), MemoryError()])
def test_any_exception_of_an_embedder_falls_back_to_words_and_is_reported_by_type(
    raised: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    class Raising(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            raise raised

    assert keys(search_of(TOOLS, Raising()), "send", 1) == ["mail.send_message"]
    assert [each.getMessage() for each in caplog.records] == [
        f"search continues without vectors: hashed-pieces raised {type(raised).__name__}"
    ]


def spoil(file: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement, values)


def test_a_file_that_becomes_unusable_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "vectors.sqlite"
    keys(search_of(TOOLS, file=file), "send")
    spoil(file, "DROP TABLE vectors")
    assert keys(search_of(TOOLS, file=file), "passphr", 1) == ["accounts.reset_password"]
    assert [each.getMessage() for each in caplog.records] == [
        "vectors are recomputed and not stored: the file of vectors cannot be used: no such table: vectors"
    ]


@pytest.mark.parametrize(
    "row",
    [
        *(b"\1\2\3", b"", "text", None, b"\0\0\xc0\x7f" * 1024, b"\0\0\x80\x3f" * 7),
        *(struct.pack("<f", value) * 1024 for value in (1e38, 3.0, 1e-3)),
    ],
    ids=["three bytes", "none", "text", "null", "not finite", "short", "huge", "long", "tiny"],
)
def test_rows_with_invalid_vectors_are_recomputed(
    row: object, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "vectors.sqlite"
    keys(search_of(TOOLS, file=file), "send")
    spoil(file, "UPDATE vectors SET vector = ?", row)
    again, after = HashedVectors(), HashedVectors()
    assert keys(search_of(TOOLS, again, file), "passphr", 1) == ["accounts.reset_password"]
    assert len(again.asked) == len(TOOLS) + 1
    keys(search_of(TOOLS, after, file), "passphr")
    assert after.asked == ["passphr"]
    assert caplog.text == ""


def test_a_changed_vector_length_recomputes_all_and_removes_old_rows(tmp_path: Path) -> None:
    class Longer(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            return [[*vector, 1.0] for vector in super().embed(texts)]

    file = tmp_path / "vectors.sqlite"
    keys(search_of([*TOOLS, document("one.more")], file=file), "send")
    longer, after = Longer(), Longer()
    keys(search_of(TOOLS, longer, file), "send")
    assert len(longer.asked) == len(TOOLS) + 1
    keys(search_of(TOOLS, after, file), "send")
    assert after.asked == ["send"]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (len(TOOLS),)


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e150, 1e300])
def test_vectors_of_any_size_are_compared_by_their_direction(scale: float, recwarn: pytest.WarningsRecorder) -> None:
    class Scaled(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            return [[value * scale for value in vector] for vector in super().embed(texts)]

    def scores(embedder: Embedder) -> dict[str, float]:
        return {hit.key: hit.score for hit in asyncio.run(search_of(TOOLS, embedder).search("passphr", 10, None))}

    assert scores(Scaled()) == pytest.approx(scores(HashedVectors()), abs=1e-5)
    assert not recwarn.list


def test_a_query_vector_of_another_length_falls_back_to_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Uneven(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            return [vector[: len(texts)] for vector in super().embed(texts)]

    assert keys(search_of(TOOLS, Uneven()), "send", 1) == ["mail.send_message"]
    assert "hashed-pieces returned vectors of different lengths" in caplog.text


def test_slow_embedding_of_documents_is_spread_over_several_searches(caplog: pytest.LogCaptureFixture) -> None:
    many = {each.key: each for each in (*TOOLS, *(document(f"x.tool{number}") for number in range(200)))}

    class Slow(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            if len(texts) > 1:
                time.sleep(0.1)
            return super().embed(texts)

    index, embedder = SearchIndex.build(many.values()), Slow()
    vectors = Vectors(index, embedder, lambda keys: [many[key] for key in keys], patience=0.05)
    search = ToolSearch(index, vectors)
    assert keys(search, "passphr", 1) == keys(search, "passphr", 1) == []
    assert len(embedder.asked) == 2 * (1 + 96), "each continues where the last one stopped"
    assert keys(search, "passphr", 1) == keys(search, "passphr", 1) == ["accounts.reset_password"]
    assert caplog.text == ""


def test_changes_during_a_search_do_not_affect_it(caplog: pytest.LogCaptureFixture) -> None:
    before = {each.key: each for each in TOOLS}
    index = SearchIndex.build(TOOLS)

    class ModifyingEmbedder(HashedVectors):
        def embed(self, texts: Sequence[str], /) -> list[list[float]]:
            changed = {"mail.send_message": document("mail.send_message", "Dispatch a telegram.")}
            search.extend(changed.values(), lambda keys: [changed[key] for key in keys])
            return super().embed(texts)

    search = ToolSearch(index, Vectors(index, ModifyingEmbedder(), lambda keys: [before[key] for key in keys]))
    assert keys(search, "passphr", 1) == ["accounts.reset_password"]
    assert caplog.text == ""


def test_no_error_of_vectors_fails_a_search(caplog: pytest.LogCaptureFixture) -> None:
    def gone(keys: Sequence[str]) -> list[SearchDocument]:
        raise KeyError(*keys)

    index = SearchIndex.build(TOOLS)
    search = ToolSearch(index, Vectors(index, HashedVectors(), gone))
    assert keys(search, "send", 1) == keys(search, "send", 1) == ["mail.send_message"]
    assert [each.getMessage() for each in caplog.records] == ["search continues without vectors: KeyError was raised"]


def test_documents_changed_without_the_index_fall_back_to_words(caplog: pytest.LogCaptureFixture) -> None:
    index = SearchIndex.build(TOOLS)
    search = ToolSearch(index, Vectors(index, HashedVectors(), lambda keys: [document(key) for key in keys]))
    assert keys(search, "send", 1) == ["mail.send_message"]
    assert "documents changed since they were indexed" in caplog.text


def test_a_foreign_file_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "vectors.sqlite").write_text("something else, of some length, that is no database at all")
    search = search_of(TOOLS, file=tmp_path / "vectors.sqlite")
    assert keys(search, "passphr", 1) == keys(search, "passphr", 1) == ["accounts.reset_password"]
    assert caplog.text.count("vectors are recomputed and not stored: the file of vectors cannot be opened") == 1


@pytest.mark.parametrize("query", ["", "  "])
def test_an_empty_query_does_not_call_the_embedder(query: str) -> None:
    embedder = HashedVectors()
    assert keys(search_of(TOOLS, embedder), query) == []
    assert embedder.asked == []
