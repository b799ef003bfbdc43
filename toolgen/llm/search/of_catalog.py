"""The index of a catalog: what its build wrote, and what was registered since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.llm.search.index import Index
from toolgen.llm.search.stored import index_file_of
from toolgen.runtime.redact.warning import warn
from toolgen.search.documents import document_of_tool
from toolgen.search.index_text import INDEX_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.search.documents import SearchDocument


def index_of(catalog: Catalog) -> Index:
    """Index all tools of a catalog, by ident. What the build of its package wrote is loaded, and not made again.

    Where that is damaged, or not of these tools, all are indexed anew, and a warning says so.
    """
    index = _stored(catalog) or Index.build(())
    return index.extended(documents_of(catalog, (ident for ident in catalog if ident not in index)))


def _stored(catalog: Catalog) -> Index | None:
    text = index_file_of(catalog.package) if catalog.package else None
    if text is None:
        return None
    index = Index.load(text)
    if index is None:
        fault = "is damaged, or of another version"
    elif set(index) != {ident for ident in catalog if catalog.registered(ident) is None}:
        fault = "is not of the tools that are there"
    else:
        return index
    warn("the %s of %r %s; its tools are indexed anew: run `toolgen build`", INDEX_FILE, catalog.package, fault)
    return None


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
