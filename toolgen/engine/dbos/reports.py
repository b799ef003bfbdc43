"""Progress of single calls, which their worker writes into the database for whoever waits for them elsewhere.

Of each call the latest report is written, once a second at most, so all that a call reports costs one row.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolgen.engine.dbos.database import warn_of
from toolgen.engine.dbos.tables import write_progress
from toolgen.schema.json_values import compact_json
from toolgen.spec.text import cut

if TYPE_CHECKING:
    from toolgen.engine.dbos.private import SystemDatabase
    from toolgen.engine.requests import Json

MOST_BYTES: Final = 2000
_SECONDS: Final = 1.0
_MESSAGE_LENGTH: Final = 300


class Reports:
    """The reports of the calls of a worker that are not written yet."""

    def __init__(self) -> None:
        self._latest: dict[str, Json] = {}
        self._lock: Final = threading.Lock()

    def add(self, run_id: str, data: Mapping[str, Any]) -> None:
        """Take note of a report of the call of a run, in any thread."""
        with self._lock:
            self._latest[run_id] = bounded(data)

    async def keep_writing(self, database: SystemDatabase) -> None:
        """Write reports until this is cancelled. Those that cannot be written are lost: later ones follow."""
        while True:
            await asyncio.sleep(_SECONDS)
            with self._lock:
                latest, self._latest = self._latest, {}
            for run_id, report in latest.items():
                try:
                    await asyncio.to_thread(write_progress, database, run_id, report)
                except Exception as error:  # noqa: BLE001  # the database is away, or the run is gone
                    warn_of("a worker cannot write the progress of a call", error=error)


def bounded(data: Mapping[str, Any]) -> Json:
    """Return a report of at most 2,000 bytes: of a longer one its numbers, and the beginning of its text."""
    if len(json.dumps(data)) <= MOST_BYTES:
        return dict(data)
    message = data.get("message")
    text = message if isinstance(message, str) else compact_json(data)
    numbers = {name: data[name] for name in ("progress", "total") if type(data.get(name)) in (int, float)}
    short = {name: value for name, value in numbers.items() if len(json.dumps(value)) <= 50}  # of any use
    return {**short, "message": cut(text, _MESSAGE_LENGTH)}
