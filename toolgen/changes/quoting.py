"""Quotation of JSON values and texts in messages, on one line and cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST: Final = 200
_LISTED: Final = 10


def quoted(value: Any) -> str:
    """Return a JSON value as text of at most 200 characters."""
    text = compact_json(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def names(listed: Iterable[str]) -> str:
    """Return names in a sentence, the first ten of many: "`a`, `b`"."""
    every = list(listed)
    shown = ", ".join(f"`{name}`" for name in every[:_LISTED])
    return f"{shown} and {len(every) - _LISTED} more" if len(every) > _LISTED else shown
