"""What derived data is made of, by tool: its words for search, and its types for stubs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.emit import Output

if TYPE_CHECKING:
    from toolgen.compiler.emit import Unit
    from toolgen.compiler.project.cache import Cache
    from toolgen.providers.stubs import ToolTypes
    from toolgen.search.documents import CountedDocument


# Outputs: what pieces of toolsets were emitted to, formatted, and the patterns of models, by what determines them.

_OUTPUTS: Final = "output"
_PATTERNS: Final = "patterns"
_MOST_PATTERNS: Final = 20_000
"""Maximum number of patterns that are kept. A thousand tools have a hundred."""


class OutputCache:
    """The outputs of one target. `units` are those of its toolsets, `settings` is the digest of all else."""

    def __init__(self, cache: Cache, units: Mapping[str, Sequence[Unit]], settings: str) -> None:
        self._cache = cache
        self.units = units
        self._settings = settings
        self._patterns: dict[str, str] = {}

    def known(self, units: Mapping[str, Sequence[Unit]] | None = None) -> dict[str, Output]:
        """Return the outputs that were emitted before, by the key of their unit; of some toolsets if they are given."""
        keys = [unit.key for each in (self.units if units is None else units).values() for unit in each]
        found = {key: self._cache.get(_OUTPUTS, key) for key in keys}
        return {key: Output(**output) for key, output in found.items() if output}

    def keep(self, outputs: Mapping[str, Output]) -> None:
        """Keep outputs, by the key of their unit."""
        keys = {unit.key for units in self.units.values() for unit in units}
        for key, output in outputs.items():
            if key in keys:
                value = {"files": dict(output.files), "lines": dict(output.lines), "sections": dict(output.sections)}
                self._cache.put(_OUTPUTS, key, value)

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
    tools: Mapping[str, Any], groups: Iterable[Collection[str]], cache: Cache, settings: str
) -> tuple[list[CountedDocument], dict[str, ToolTypes]]:
    """Return the words and the types of the tools of a `catalog.json`, by ident.

    `groups` are idents of tools that share an entry; all others share one. `settings` is a digest of what determines
    the parts beside the tools.
    """
    from toolgen.providers.stubs import ToolTypes, read_types  # on use, as below: most builds derive in another process
    from toolgen.search.documents import CountedDocument, documents_of_tools

    words: dict[str, CountedDocument] = {}
    types: dict[str, ToolTypes] = {}
    left = dict(tools)
    for group in (*groups, left):
        members = {ident: left.pop(ident) for ident in sorted(group) if ident in left}
        if not members:
            continue
        key = sha256(json.dumps([settings, members]).encode()).hexdigest()
        kept = cache.get(_KIND, key)
        if kept is None:
            counted = [CountedDocument.of(document) for document in documents_of_tools(members)]
            read = {ident: read_types(ident, tool) for ident, tool in members.items()}
            cache.put(_KIND, key, [[to_json(each) for each in counted], {name: to_json(read[name]) for name in read}])
        else:
            counted = [from_json(CountedDocument, each) for each in kept[0]]
            read = {ident: from_json(ToolTypes, each) for ident, each in kept[1].items()}
        words.update((each.key, each) for each in counted)
        types |= read
    return [words[ident] for ident in tools], types
