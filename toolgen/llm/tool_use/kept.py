"""A cache of computed values, least recently used first out, with a bound on the total weight."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Generic, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_KeyTs = TypeVarTuple("_KeyTs")
_ValueT = TypeVar("_ValueT")


class Kept(Generic[*_KeyTs, _ValueT]):
    """Calls a function, and caches its return values by arguments.

    The last used value is always kept, and of the others as many as weigh at most `most` in total: sets of tools differ
    in size by a factor of a thousand, so that a maximum number would not bound memory.
    """

    def __init__(self, make: Callable[[*_KeyTs], _ValueT], weigh: Callable[[*_KeyTs], int], most: int) -> None:
        """`weigh` returns the weight of the value for the same arguments."""
        self._make = make
        self._weigh = weigh
        self._most = most
        self._weight = 0
        self._values: dict[tuple[object, ...], tuple[_ValueT, int]] = {}
        self._lock = RLock()

    def __call__(self, *key: *_KeyTs) -> _ValueT:
        """Return the value for hashable arguments: the same object while it is cached."""
        with self._lock:
            found = self._values.pop(key, None)
            if found is None:
                found = (self._make(*key), max(self._weigh(*key), 1))
                self._weight += found[1]
            self._values[key] = found
            while self._weight > self._most and len(self._values) > 1:
                self._weight -= self._values.pop(next(iter(self._values)))[1]
            return found[0]

    def __len__(self) -> int:
        return len(self._values)
