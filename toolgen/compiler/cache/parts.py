"""Parts of packages: what toolsets were emitted to, formatted, and the patterns of models, by what determines them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.emit import Part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.compiler.cache.store import Cache

_KIND: Final = "part"
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

    def known(self) -> dict[str, Part]:
        """Return the parts of toolsets that were emitted before, by toolset."""
        found = {name: self._cache.get(_KIND, key) for name, key in self._keys.items()}
        return {name: Part(**part) for name, part in found.items() if part}

    def keep(self, parts: Mapping[str, Part]) -> None:
        """Keep the parts of toolsets, by toolset."""
        for name, part in parts.items():
            if name in self._keys:
                value = {"files": dict(part.files), "tools": dict(part.tools), "section": part.section}
                self._cache.put(_KIND, self._keys[name], value)

    def patterns(self) -> dict[str, str]:
        """Return the patterns of `render_models` that are known, to which new ones may be added."""
        self._patterns = self._cache.get(_PATTERNS, self._settings) or {}
        return dict(self._patterns)

    def keep_patterns(self, patterns: Mapping[str, str]) -> None:
        """Keep patterns, if there are new ones and not too many."""
        if len(self._patterns) < len(patterns) <= _MOST_PATTERNS:
            self._cache.put(_PATTERNS, self._settings, dict(patterns))
