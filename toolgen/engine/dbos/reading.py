"""Reading rows: whoever can write to a database can write anything there, and a damaged row is nobody else's matter."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

from toolgen.runtime.events.records import DamagedRun
from toolgen.runtime.redact.exceptions import shown_error

UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a row raises that has other values than those that are written: anything may be in a database."""


@contextmanager
def reading(what: str) -> Generator[None]:
    """Read a part of a database, as a context. Raises `DamagedRun`, which names it, for values that are none of it."""
    try:
        yield
    except UNREADABLE as error:
        raise DamagedRun(f"{what} cannot be read: {shown_error(error)}") from error


def json_or_text(text: str | bytes) -> Any:
    """Return the value of JSON in a column, or what cannot be read of it as it is: other rows of the statement can."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
