"""The index of a catalog: a build writes what a runtime would create, and registered tools are added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.runtime.tools import add
from toolgen.llm.search.index import SearchIndex, search_documents_of, search_index_of
from toolgen.runtime import Catalog, ToolDefinition, load
from toolgen.search.documents import SearchDocument, write_index
from toolgen.spec.derived import DERIVED, INDEX_FILE, catalog_mark

if TYPE_CHECKING:
    import pytest

    from tests.unit.runtime.package import Shop


def test_registered_tools_are_found_by_their_definitions() -> None:
    catalog = add(Catalog(), lambda _args: "ran", "mail.send", description="Send a message.", title="Post a letter")
    schema = {"type": "object", "properties": {"recipient": {"type": "string", "description": "Whom it goes to."}}}
    add(catalog, lambda _args: "ran", "mail.list", description="What came in.", input_schema=schema)
    index = search_index_of(catalog)
    assert [hit.key for hit in index.search("letter", 5)] == ["mail.send"]
    assert [hit.key for hit in index.search("recipient", 5)] == ["mail.list"]
    assert [hit.key for hit in index.search("write", 5)] == ["mail.list", "mail.send"]  # the tag of their permission


def test_a_package_without_an_index_is_indexed_on_demand(shop: Shop) -> None:
    catalog = load(shop.name)
    index = search_index_of(catalog)
    assert set(index) == set(catalog)


def test_a_stored_index_is_loaded_and_only_missing_documents_are_read(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = load(shop.name)
    search_index_of(catalog)
    add(catalog, lambda _args: "ran", "mail.send", description="Send a message.")
    read: list[str] = []
    definition = Catalog.definition

    def noted(self: Catalog, ident: str) -> ToolDefinition:
        read.append(ident)
        return definition(self, ident)

    monkeypatch.setattr(Catalog, "definition", noted)

    index = search_index_of(catalog)

    assert read == ["mail.send"]
    fresh = SearchIndex.build(search_documents_of(catalog, catalog))
    assert index.search("list orders", 5) == fresh.search("list orders", 5) != ()


def test_a_damaged_or_outdated_stored_index_is_rebuilt_and_stored(shop: Shop) -> None:
    catalog = load(shop.name)
    documents = list(search_documents_of(catalog, catalog))
    search_index_of(catalog)
    file = shop.folder / DERIVED / INDEX_FILE
    text = file.read_text(encoding="utf-8")
    ghost = SearchDocument(key="ghost.refund", names=("ghost.refund",))
    for stored in (text[: len(text) // 2], write_index([*documents, ghost], catalog_mark(b"another")), ""):
        file.write_text(stored, encoding="utf-8")
        index = search_index_of(catalog)
        assert set(index) == set(catalog)
        assert index.search("list orders", 5) == SearchIndex.build(documents).search("list orders", 5) != ()
        assert file.read_text(encoding="utf-8") == text


def test_an_index_that_cannot_be_stored_is_built_each_time(shop: Shop) -> None:
    catalog = load(shop.name)
    (shop.folder / DERIVED / INDEX_FILE).mkdir(parents=True)
    assert set(search_index_of(catalog)) == set(catalog)


def test_a_package_changed_after_loading_is_searched_as_loaded(shop: Shop) -> None:
    catalog = load(shop.name)
    place = shop.folder / "catalog.json"
    place.write_text(place.read_text().replace('"shop.orders.find"', '"shop.orders.look_up"'), encoding="utf-8")
    assert set(search_index_of(catalog)) == set(catalog)
