"""The index of a catalog: what its build wrote, and what was registered since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.search.documents import document_of_tool
from toolgen.runtime.search.index import Index
from toolgen.runtime.search.stored import index_file_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgen.contract.search.documents import SearchDocument
    from toolgen.runtime.catalog import Catalog


def index_of(catalog: Catalog) -> Index:
    """Index all tools of a catalog, by ident. What the build of its package wrote is loaded, and not made again."""
    text = index_file_of(catalog.package) if catalog.package else None
    stored = None if text is None else Index.load(text)
    index = Index.build(()) if stored is None else stored
    return index.extended(documents_of(catalog, (ident for ident in catalog if ident not in index)))


def documents_of(catalog: Catalog, idents: Iterable[str]) -> Iterator[SearchDocument]:
    """Describe tools of a catalog, as a search looks at them. Raises `ToolNotFound`."""
    for ident in idents:
        tool = catalog.definition(ident)
        yield document_of_tool(
            ident,
            source_name=tool.metadata.get("source_name", ""),
            title=tool.title,
            description=tool.description,
            args=tool.input_schema,
            inject=tool.metadata.get("inject", ()),
            tags=tool.tags,
        )
