"""Toolsets of earlier builds, by the content of their files and of everything else that they depend on.

An entry is found by the text and the path of its file, and the settings. It holds the digests of the rest: other files
whose types or methods the toolset uses, shared types, and the names of tags. Only toolsets without errors are kept.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.cache.records import from_json, to_json
from toolgen.compiler.diagnostics.diagnostic import Diagnostic
from toolgen.compiler.ir.catalog import Toolset

if TYPE_CHECKING:
    from toolgen.compiler.cache.store import Cache
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.resolve import Context, Made

_KIND: Final = "toolset"


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
        self._cache.count(_KIND, is_found=is_equal)
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
        self._cache.put(_KIND, self._key(path), entry)
        self.keys[made.toolset.name] = f"{self._key(path)}-{depends}"

    def _entry(self, path: str) -> dict[str, Any] | None:
        if path not in self._entries:
            self._entries[path] = self._cache.look(_KIND, self._key(path))
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
    entry = cache.look(_KIND, place)
    return from_json(Toolset, entry["toolset"]) if entry is not None and entry["depends"] == depends else None


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
