"""Reading rows of a database that others may have damaged: a damaged one is no other's matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from toolgen.runtime.events.records import DamagedRun
from toolgen.runtime.redact.warning import warn

R = TypeVar("R")
T = TypeVar("T")


def readable(rows: Iterable[R], read: Callable[[R], T]) -> list[T]:
    """Read rows that have nothing to do with each other. One for which `read` raises `DamagedRun` is left out.

    A warning tells which.
    """
    found: list[T] = []
    for row in rows:
        try:
            found.append(read(row))
        except DamagedRun as error:
            warn("left out, since others can be read: %s", error)
    return found
