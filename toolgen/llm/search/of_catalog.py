"""The index of a catalog: the index of its package, and registered tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.llm.search.index import Index
from toolgen.llm.search.stored import index_file_of
from toolgen.search.documents import document_of_tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.search.documents import SearchDocument


def index_of(catalog: Catalog) -> Index:
    """Return the index of all tools of a catalog, by ident. Tools of its package are in the stored index.

    If the package on disk has changed since it was loaded, the tools are indexed separately.
    """
    index = _stored(catalog) or Index.build(())
    return index.extended(documents_of(catalog, (ident for ident in catalog if ident not in index)))


def _stored(catalog: Catalog) -> Index | None:
    index = Index.load(index_file_of(catalog.package)) if catalog.package else None
    compiled = {ident for ident in catalog if catalog.registered(ident) is None}
    return index if index is not None and set(index) == compiled else None


def documents_of(catalog: Catalog, idents: Iterable[str]) -> Iterator[SearchDocument]:
    """Return the search documents of tools. Raises `ToolNotFound`."""
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
