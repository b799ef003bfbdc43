"""Text templates of specs: `{{args.name}}` and `{{result.name}}`, rendered as plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from toolgen.schema.json_values import is_object

_FIELD: Final = re.compile(r"\{\{(args|result)\.((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)


def render(template: str, values: Mapping[str, Any], *, escape: Callable[[str], str] = lambda text: text) -> str:
    """Render a template that was checked by the compiler. `values` maps `args` and `result` to JSON objects.

    A missing value renders as empty text, text as itself, any other value as JSON. `escape` is applied to each value.
    """
    return _FIELD.sub(partial(_value, values, escape), template)


def names_of(template: str) -> frozenset[str]:
    """Return which of `args` and `result` a template uses."""
    return frozenset(found[1] for found in _FIELD.finditer(template))


def _value(values: Mapping[str, Any], escape: Callable[[str], str], found: re.Match[str]) -> str:
    fields = values.get(found[1])
    value = fields.get(found[2]) if is_object(fields) else None
    if value is None:
        return ""
    return escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
