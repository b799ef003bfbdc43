"""Live: events that say that what a page shows has changed, few of them, however much happens."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
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
    """The pages that are told of changes. Of each, only the versions that it was told last are kept."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    async def told(self, visitor: str, events: AsyncGenerator[dict[str, Any]]) -> AsyncGenerator[dict[str, Any]]:
        """Yield the events of a page, if its visitor follows fewer than they may; else when to ask again."""
        if self._open[visitor] >= _WATCHED:
            yield {"retry": _RETRY_MS}
            return
        self._open[visitor] += 1
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        finally:
            self._open[visitor] -= 1
            self._open += Counter()


async def changes(
    now: tuple[str, ...], look: Callable[[], Awaitable[tuple[str, ...]]]
) -> AsyncGenerator[dict[str, Any]]:
    """Yield an event with the versions of what a page shows now, and at each change; changes in between are one.

    It ends where `look` raises `Refused`.
    """
    told: tuple[str, ...] = ()
    took = 0.0
    try:
        while True:
            if now != told:
                told = now
                yield {"event": "change", "data": json.dumps({"versions": now})}
            await asyncio.sleep(max(_SECONDS, _SHARE * took))
            began = time.monotonic()
            now = await look()
            took = time.monotonic() - began
    except Refused:
        yield {"retry": _RETRY_MS}
