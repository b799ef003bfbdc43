"""`search_index.json`: the words of every tool, so that a runtime searches without reading them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.search.documents import document_of_tool
from toolgen.search.index_text import write_index

if TYPE_CHECKING:
    from toolgen.compiler.ir.catalog import Catalog


def emit_search_index(catalog: Catalog) -> str:
    """The search index of all tools, by ident."""
    return write_index(
        document_of_tool(
            tool.ident,
            source_name=tool.remote if tool.remote != tool.key else "",
            title=tool.title,
            description=tool.description,
            args=tool.args.json,
            inject=tool.inject,
            tags={*tool.tags, tool.permission.value},
        )
        for tool in catalog.tools
    )
