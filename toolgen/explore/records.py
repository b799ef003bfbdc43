"""Records: the runs of a store, read without blocking the loop, whatever kind of store it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from toolgen.record.chain import verify_chain

if TYPE_CHECKING:
    from toolgen.record.chain import ChainFinding, ChainKey
    from toolgen.record.stores import StoreReader
    from toolgen.runtime.events.records import RunRecord, RunSummary, Store

RecordSource: TypeAlias = "Store | StoreReader"

MANY: Final = 1_000
"""Events of a run that is kept after it was read: its next page asks only for what is new."""


class Records:
    """The runs of a `Store`, or of what reads the store of another process."""

    def __init__(self, source: RecordSource, key: ChainKey | None) -> None:
        self._source: Any = source
        self._key = key
        self._last: RunRecord | None = None
        self.has_chain = key is not None and hasattr(source, "chain")

    async def runs(self) -> tuple[RunSummary, ...]:
        """List all runs, the one with the latest event last. Raises `StoreError`."""
        return cast("tuple[RunSummary, ...]", await self._read(self._source.runs))

    async def read(self, run_id: str) -> RunRecord:
        """Read one run. Raises `RunNotFound`, and `StoreError`."""
        last = self._last
        if (
            last is not None
            and last.run_id == run_id
            and not await self._read(self._source.events, run_id, last.events[-1].sequence)
        ):
            return last
        found = cast("RunRecord", await self._read(self._source.read, run_id))
        if len(found.events) >= MANY and hasattr(self._source, "events"):
            self._last = found
        return found

    async def verify(self, run_id: str) -> list[ChainFinding]:
        """Return what is wrong with the record of a run, as far as it shows without a head that was kept elsewhere."""
        assert self._key is not None
        key = self._key

        def verified() -> list[ChainFinding]:
            return verify_chain(self._source.chain(run_id), self._source.head(run_id), key)

        return await asyncio.to_thread(verified)

    async def _read(self, method: Callable[..., Any], *args: Any) -> Any:
        if asyncio.iscoroutinefunction(method):
            return await method(*args)
        return await asyncio.to_thread(method, *args)
