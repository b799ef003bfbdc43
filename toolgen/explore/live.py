"""Live: events that say that what a page shows has changed, few of them, however much happens."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from toolgen.explore.visit import Refused

_SECONDS: Final = 1.0
"""Between two looks at what a page shows, so that a page gets at most one event in that time."""

_SHARE: Final = 10
"""A look that took long is followed by a wait of this many times as long."""

_WATCHED: Final = 20
"""Pages of one visitor that are told of changes at the same time."""

_RETRY_MS: Final = 60_000
"""After which a page asks again that was one too many, or whose visitor may not see it any more."""


def version_of(data: Mapping[str, Any]) -> str:
    """Return a text that differs for other data."""
    text = json.dumps(data, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]


class Watchers:
    """The pages that are told of changes. Of each, only the version that it was told last is kept."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    async def events(
        self, visitor: str, shown: Mapping[str, Any], look: Callable[[], Awaitable[Mapping[str, Any]]]
    ) -> AsyncGenerator[dict[str, Any]]:
        """Yield an event for what a page shows now, and at each change; changes in between are one.

        It ends where `look` raises `Refused`.
        """
        if self._open[visitor] >= _WATCHED:
            yield {"retry": _RETRY_MS}
            return
        self._open[visitor] += 1
        try:
            told, version, took = "", version_of(shown), 0.0
            while True:
                if version != told:
                    told = version
                    yield {"event": "change", "data": json.dumps({"version": version})}
                await asyncio.sleep(max(_SECONDS, _SHARE * took))
                began = time.monotonic()
                version = version_of(await look())
                took = time.monotonic() - began
        except Refused:
            yield {"retry": _RETRY_MS}
        finally:
            self._open[visitor] -= 1
            self._open += Counter()
