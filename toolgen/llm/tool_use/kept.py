"""Kept: what was worked out for a few keys, the last used of it, as long as it is not too much in all."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Generic, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_KeyTs = TypeVarTuple("_KeyTs")
_ValueT = TypeVar("_ValueT")


class Kept(Generic[*_KeyTs, _ValueT]):
    """Calls a function, and keeps what it gave for its arguments.

    What was used last is kept in any case, and of the rest as much as weighs `most` with it: sets of tools differ in
    size a thousandfold, so that a number of them bounds no memory.
    """

    def __init__(self, make: Callable[[*_KeyTs], _ValueT], weigh: Callable[[*_KeyTs], int], most: int) -> None:
        """`weigh` says, for the same arguments, what the value weighs."""
        self._make = make
        self._weigh = weigh
        self._most = most
        self._weight = 0
        self._values: dict[tuple[object, ...], tuple[_ValueT, int]] = {}
        self._lock = RLock()

    def __call__(self, *key: *_KeyTs) -> _ValueT:
        """Return the value of the arguments, all of them hashable: the same object, while it is kept."""
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
