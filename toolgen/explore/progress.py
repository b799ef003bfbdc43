"""Progress: what a call reports of it, as a line for people and, where a total is known, as a bar."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LARGEST: Final = 1e15
"""Larger numbers, in either direction, are shown as they came."""


def progress_data(data: Mapping[str, Any], cut: Callable[[str], str]) -> dict[str, Any]:
    """Return a report of progress for a page: `text`, and `progress` and `total`, None unless both make a bar.

    `progress`, `total` and `message` mean what they mean in MCP; whatever else a handler reports is JSON in the text.
    """
    others = dict(data)
    done, total = (_number(data.get(name)) for name in ("progress", "total"))
    message = data.get("message") if isinstance(data.get("message"), str) else None
    for name, known in (("progress", done), ("total", total), ("message", message)):
        if known is not None:
            del others[name]
    counted = " of ".join(_shown(each) for each in (done, total) if each is not None)
    if done is None and total is not None:
        counted = f"of {counted}"
    rest = json.dumps(others, ensure_ascii=False) if others else None
    has_bar = done is not None and total is not None and 0 <= done <= total and total > 0
    return {
        "text": cut(": ".join(each for each in (counted, message, rest) if each)),
        "progress": done if has_bar else None,
        "total": total if has_bar else None,
    }


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and -_LARGEST <= value <= _LARGEST else None


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
