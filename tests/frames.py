"""Frames: code that runs far down the stack of a host, where little is left for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def after_frames(count: int, run: Callable[[], T]) -> T:
    """Return what `run` returns, called below so many frames."""
    return run() if count == 0 else after_frames(count - 1, run)
