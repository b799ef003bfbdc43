"""The index of a catalog: what a build writes is what a runtime would make, and registered tools join it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.runtime.tools import add
from toolgen.contract.search.index_text import INDEX_FILE, write_index
from toolgen.runtime import Catalog, ToolDefinition, load
from toolgen.runtime.search.index import Index
from toolgen.runtime.search.of_catalog import documents_of, index_of

if TYPE_CHECKING:
    import pytest

    from tests.runtime.conftest import Shop


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
