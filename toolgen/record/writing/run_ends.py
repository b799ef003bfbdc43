"""The ends of runs' records, which a writer continues from, and whether they are unchanged."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.record.chain import ChainKey

End: TypeAlias = "tuple[int, bytes | None]"
"""The number of the last event of a run, and its digest; None without a key."""

_REMEMBERED: Final = 10_000
"""Number of runs whose ends are remembered, the most recent. The end of another run is only checked with its key."""

_LARGEST: Final = 2**62


class StoredEnd(Protocol):
    """The last events of one run, as stored, untrusted: a column may have a value of any type."""

    def last(self) -> tuple[Any, Any] | None:
        """Return the number and the digest of the last event; None for a run without events."""
        ...

    def digests_at(self, sequence: int) -> list[bytes | None]:
        """Return the digest of an event, in a list that is empty if there is no such event."""
        ...

    def last_two(self) -> list[tuple[bytes, bytes | None]]:
        """Return the text and the digest of the last event, then of the one before it."""
        ...


class RunEnds:
    """The ends of runs, as written by one writer. Another process may have continued a run."""

    def __init__(self, key: ChainKey | None) -> None:
        self._key = key
        self._known: dict[str, End] = {}

    def find(self, run_id: str, stored: StoredEnd) -> End:
        """Return the end of a run that is stored; -1 and the initial digest for a new run.

        Raises `StoreError` if the run must not be continued.
        """
        last = stored.last()
        known = self._known.get(run_id)
        if last is None:
            if known is not None:
                raise StoreError("the record of the run was removed while the run continued")
            return -1, self._key.first(run_id) if self._key else None
        sequence, digest = last
        if last == known:
            return sequence, digest
        if not isinstance(sequence, int) or not -1 < sequence < _LARGEST:
            raise StoreError("the record of the run was tampered with: it has a row that stores do not write")
        if (digest is None) != (self._key is None):
            begun = "without a key" if digest is None else "with a key"
            raise StoreError(f"the run was started {begun}, and must be continued the same way")
        if known is not None and stored.digests_at(known[0]) != [known[1]]:
            raise StoreError("the end of the record of the run was truncated or edited while the run continued")
        if self._key is not None and not _follows(run_id, stored, self._key):
            raise StoreError("the run was started with another key, or the end of its record was edited")
        return sequence, digest

    def known_number(self, run_id: str) -> int:
        """Return the number of the last event of a run that this writer wrote, as far as remembered; otherwise -1."""
        return self._known.get(run_id, (-1, None))[0]

    def remember(self, ends: Mapping[str, End | None]) -> None:
        """Remember the new ends of runs, when they are durable."""
        for run_id, end in ends.items():
            if end is not None:
                self._known.pop(run_id, None)
                self._known[run_id] = end
        while len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


def _follows(run_id: str, stored: StoredEnd, key: ChainKey) -> bool:
    """Whether the last event is valid after the one before it, with this key."""
    (body, digest), *earlier = stored.last_two()
    before: bytes | None = earlier[0][1] if earlier else key.first(run_id)
    return before is not None and digest is not None and compare_digest(key.next(before, body), digest)
