"""The index of a catalog: what its build wrote, and what was registered since."""

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
    """Index all tools of a catalog, by ident. Those of its package are in the index that is kept with it.

    Where the package on the disk is no longer the one that was loaded, the tools are indexed by themselves.
    """
    index = _stored(catalog) or Index.build(())
    return index.extended(documents_of(catalog, (ident for ident in catalog if ident not in index)))


def _stored(catalog: Catalog) -> Index | None:
    index = Index.load(index_file_of(catalog.package)) if catalog.package else None
    compiled = {ident for ident in catalog if catalog.registered(ident) is None}
    return index if index is not None and set(index) == compiled else None


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
