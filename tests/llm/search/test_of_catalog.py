"""The index of a catalog: what a build writes is what a runtime would make, and registered tools join it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.runtime.tools import add
from toolgen.llm.search.index import Index
from toolgen.llm.search.of_catalog import documents_of, index_of
from toolgen.runtime import Catalog, ToolDefinition, load
from toolgen.search.documents import SearchDocument
from toolgen.search.index_text import INDEX_FILE, write_index

if TYPE_CHECKING:
    import pytest

    from tests.runtime.package import Shop


def test_registered_tools_are_found_by_what_they_say_of_themselves() -> None:
    catalog = add(Catalog(), lambda _args: "ran", "mail.send", description="Send a message.", title="Post a letter")
    schema = {"type": "object", "properties": {"recipient": {"type": "string", "description": "Whom it goes to."}}}
    add(catalog, lambda _args: "ran", "mail.list", description="What came in.", input_schema=schema)
    index = index_of(catalog)
    assert [hit.key for hit in index.search("letter", 5)] == ["mail.send"]
    assert [hit.key for hit in index.search("recipient", 5)] == ["mail.list"]
    assert [hit.key for hit in index.search("write", 5)] == ["mail.list", "mail.send"]  # the tag of their permission


def test_a_package_without_an_index_is_indexed_when_it_is_asked_for(shop: Shop) -> None:
    catalog = load(shop.name)
    index = index_of(catalog)
    assert set(index) == set(catalog)


def test_a_stored_index_is_loaded_and_only_what_it_lacks_is_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = load(shop.name)
    (shop.folder / INDEX_FILE).write_text(write_index(documents_of(catalog, catalog)), encoding="utf-8")
    add(catalog, lambda _args: "ran", "mail.send", description="Send a message.")
    read: list[str] = []
    definition = Catalog.definition

    def noted(self: Catalog, ident: str) -> ToolDefinition:
        read.append(ident)
        return definition(self, ident)

    monkeypatch.setattr(Catalog, "definition", noted)

    index = index_of(catalog)

    assert read == ["mail.send"]
    fresh = Index.build(documents_of(catalog, catalog))
    assert index.search("list orders", 5) == fresh.search("list orders", 5) != ()


def test_a_stored_index_that_is_damaged_or_of_other_tools_is_made_anew_and_warned_of(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = load(shop.name)
    documents = list(documents_of(catalog, catalog))
    file = shop.folder / INDEX_FILE
    text = write_index(documents)
    ghost = SearchDocument(key="ghost.refund", names=("ghost.refund",))
    for stored, fault in [
        (text[: len(text) // 2], "is damaged, or of another version"),
        (write_index([*documents, ghost]), "is not of the tools that are there"),
        (write_index(documents[1:]), "is not of the tools that are there"),
    ]:
        file.write_text(stored, encoding="utf-8")
        caplog.clear()
        index = index_of(catalog)
        assert set(index) == set(catalog)
        assert index.search("list orders", 5) == Index.build(documents).search("list orders", 5) != ()
        told = f"the search_index.json of {shop.name!r} {fault}; its tools are indexed anew: run `toolgen build`"
        assert [each.getMessage() for each in caplog.records] == [told]


def test_a_stored_index_that_cannot_be_read_is_made_anew(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    catalog = load(shop.name)
    (shop.folder / INDEX_FILE).unlink(missing_ok=True)
    (shop.folder / INDEX_FILE).mkdir()
    assert set(index_of(catalog)) == set(catalog)
    assert "is damaged" in caplog.text
