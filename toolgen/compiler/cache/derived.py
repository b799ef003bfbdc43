"""What derived data is made of, by toolset: the words of its tools for search, and their types for stubs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.emit import ToolsetOutput
from toolgen.providers.stubs import ToolTypes, read_types
from toolgen.search.documents import CountedDocument, documents_of_tools

if TYPE_CHECKING:
    from toolgen.compiler.cache.store import Cache


# Parts of packages: what toolsets were emitted to, formatted, and the patterns of models, by what determines them.

_PARTS: Final = "part"
_PATTERNS: Final = "patterns"
_MOST_PATTERNS: Final = 20_000
"""Maximum number of patterns that are kept. A thousand tools have a hundred."""


class PartCache:
    """The parts of one target. `keys` has the digest of what determines each toolset, `settings` of the rest."""

    def __init__(self, cache: Cache, keys: Mapping[str, str], settings: str) -> None:
        self._cache = cache
        self._keys = keys
        self._settings = settings
        self._patterns: dict[str, str] = {}

    def known(self) -> dict[str, ToolsetOutput]:
        """Return the parts of toolsets that were emitted before, by toolset."""
        found = {name: self._cache.get(_PARTS, key) for name, key in self._keys.items()}
        return {name: ToolsetOutput(**part) for name, part in found.items() if part}

    def keep(self, parts: Mapping[str, ToolsetOutput]) -> None:
        """Keep the parts of toolsets, by toolset."""
        for name, part in parts.items():
            if name in self._keys:
                value = {"files": dict(part.files), "tools": dict(part.tools), "section": part.section}
                self._cache.put(_PARTS, self._keys[name], value)

    def patterns(self) -> dict[str, str]:
        """Return the patterns of `render_models` that are known, to which new ones may be added."""
        self._patterns = self._cache.get(_PATTERNS, self._settings) or {}
        return dict(self._patterns)

    def keep_patterns(self, patterns: Mapping[str, str]) -> None:
        """Keep patterns, if there are new ones and not too many."""
        if len(self._patterns) < len(patterns) <= _MOST_PATTERNS:
            self._cache.put(_PATTERNS, self._settings, dict(patterns))


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
