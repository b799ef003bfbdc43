"""JSON text of pages: every hidden character is an escape of JSON, so that people see it and the value is the same."""

from __future__ import annotations

import json
from typing import Any

from toolgen.spec.text import visible_json


def json_line(value: Any) -> str:
    """Return a value as JSON on one line."""
    return visible_json(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def json_lines(value: Any) -> str:
    """Return a value as JSON that people read and edit."""
    return visible_json(json.dumps(value, ensure_ascii=False, indent=2))
