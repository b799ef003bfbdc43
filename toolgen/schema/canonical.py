"""Canonical JSON: one text per value, so that equal payloads have equal bytes."""

from __future__ import annotations

import json
from typing import Any


def canonical(value: Any) -> bytes:
    """Encode a JSON value as sorted, compact UTF-8.

    Equal values give equal bytes, and `canonical(json.loads(canonical(x))) == canonical(x)`.
    Keys are sorted by code point. Raises ValueError for NaN, infinities and lone surrogates.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")
