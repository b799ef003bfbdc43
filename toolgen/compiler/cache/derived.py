"""What the cache keeps by toolset: the toolset, and its derived data, words for search and types for stubs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.diagnostics.diagnostic import Diagnostic
from toolgen.compiler.emit import ToolsetOutput
from toolgen.compiler.ir.catalog import Toolset
from toolgen.providers.stubs import ToolTypes, read_types
from toolgen.search.documents import CountedDocument, documents_of_tools

if TYPE_CHECKING:
    from toolgen.compiler.cache.store import Cache
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.resolve import Context, Made


# Toolsets of earlier builds, by the content of their files and of everything else that they depend on.
#
# An entry is found by the text and the path of its file, and the settings. It holds the digests of the rest: other
# files whose types or methods the toolset uses, shared types, and the names of tags. Only toolsets without errors are
# kept.

_TOOLSETS: Final = "toolset"


class ToolsetCache:
    """The toolsets of one target, as `resolve` asks for them. `texts` are its files, `settings` all else.

    `keys` maps each toolset that was recalled or kept to a digest of everything that determines it, by which `recall`
    of this module finds it. `digests` are those of the files, by path.
    """

    def __init__(self, cache: Cache, texts: Mapping[str, str], settings: str, sink: Diagnostics) -> None:
        self._cache = cache
        self._sink = sink
        self._settings = settings
        self.digests = {path: _digest(text) for path, text in texts.items()}
        self._entries: dict[str, dict[str, Any] | None] = {}
        self.keys: dict[str, str] = {}

    def tags(self, path: str) -> Mapping[str, str] | None:
        """Return the tags that the toolset of a file declares; None if its file is not known with this text."""
        entry = self._entry(path)
        return None if entry is None else entry["tags"]

    def recall(self, path: str, context: Context) -> Toolset | None:
        """Return the toolset of a file, and report its findings, if it was resolved in an equal context."""
        entry = self._entry(path)
        is_equal = entry is not None and entry["depends"] == self._depends(context, entry["read"])
        self._cache.count(_TOOLSETS, is_found=is_equal)
        if entry is None or not is_equal:
            return None
        for found in entry["findings"]:
            self._sink.add(from_json(Diagnostic, found))
        toolset = from_json(Toolset, entry.pop("toolset"))
        self.keys[toolset.name] = f"{self._key(path)}-{entry['depends']}"
        return toolset

    def keep(self, path: str, context: Context, made: Made) -> None:
        """Keep a toolset that was just resolved."""
        read = sorted(made.read)
        depends = self._depends(context, read)
        entry = {
            "tags": dict(made.tags),
            "read": read,
            "depends": depends,
            "findings": [to_json(found) for found in made.findings],
            "toolset": to_json(made.toolset),
        }
        self._cache.put(_TOOLSETS, self._key(path), entry)
        self.keys[made.toolset.name] = f"{self._key(path)}-{depends}"

    def _entry(self, path: str) -> dict[str, Any] | None:
        if path not in self._entries:
            self._entries[path] = self._cache.look(_TOOLSETS, self._key(path))
        return self._entries[path]

    def _key(self, path: str) -> str:
        return _digest(json.dumps([self._settings, path, self.digests[path]]))

    def _depends(self, context: Context, read: Collection[str]) -> str:
        files = sorted({*context.shared, *read})
        return _digest(json.dumps([sorted(context.tags), sorted(context.shared), [self._of(path) for path in files]]))

    def _of(self, path: str) -> tuple[str, str]:
        return path, self.digests.get(path, "")


def recall(cache: Cache, key: str) -> Toolset | None:
    """Return a toolset by its key of `ToolsetCache.keys`; None if it is not there any more."""
    place, _, depends = key.partition("-")
    entry = cache.look(_TOOLSETS, place)
    return from_json(Toolset, entry["toolset"]) if entry is not None and entry["depends"] == depends else None


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


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
