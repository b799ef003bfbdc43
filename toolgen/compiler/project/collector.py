"""The garbage collector, paused while much is made that is all kept."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused(*, freeze: bool = False) -> Generator[None]:
    """Let garbage lie until the end: looking for it takes two thirds of the time of parsing and formatting.

    With `freeze`, what is there at the end is not looked at again, because most processes end then. One that goes on
    calls `gc.unfreeze`.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if freeze:
            gc.freeze()
        if was_on:
            gc.enable()
