"""What derived data is made of, by toolset: the words of its tools for search, and their types for stubs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.providers.stubs.object_types import ToolTypes
from toolgen.providers.stubs.stub_file import read_types
from toolgen.search.documents import CountedDocument, documents_of_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.cache.store import Cache

_KIND: Final = "derived"


def derived_parts(
    tools: Mapping[str, Any], cache: Cache, keys: Mapping[str, str]
) -> tuple[list[CountedDocument], dict[str, ToolTypes]]:
    """Return the words and the types of the tools of a `catalog.json`, by ident.

    `keys` has a digest for each toolset of everything that determines its tools.
    """
    toolsets: dict[str, dict[str, Any]] = {}
    for ident, tool in tools.items():
        toolsets.setdefault(ident.rpartition(".")[0], {})[ident] = tool
    words: list[CountedDocument] = []
    types: dict[str, ToolTypes] = {}
    for name, members in toolsets.items():
        kept = cache.get(_KIND, keys[name]) if name in keys else None
        if kept is None:
            counted = [CountedDocument.of(document) for document in documents_of_tools(members)]
            read = {ident: read_types(ident, tool) for ident, tool in members.items()}
            if name in keys:
                value = [[to_json(each) for each in counted], {ident: to_json(each) for ident, each in read.items()}]
                cache.put(_KIND, keys[name], value)
        else:
            counted = [from_json(CountedDocument, each) for each in kept[0]]
            read = {ident: from_json(ToolTypes, each) for ident, each in kept[1].items()}
        words += counted
        types |= read
    return words, types
