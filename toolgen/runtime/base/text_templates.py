"""Templates in text, as specs have them: `{{args.name}}` and `{{result.name}}`, filled with values as plain text."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_types import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FIELD: Final = re.compile(r"\{\{(args|result)\.((?:(?!\{\{|\}\}).)*)\}\}", re.DOTALL)


def render(template: str, values: Mapping[str, Any], *, escape: Callable[[str], str] = lambda text: text) -> str:
    """Fill a template that was checked when it was compiled. `values` holds the JSON objects `args` and `result`.

    What is absent is empty, text is itself, and any other value its JSON. Each value passes `escape` on its own.
    """
    return _FIELD.sub(partial(_value, values, escape), template)


def names_of(template: str) -> frozenset[str]:
    """Say which of `args` and `result` a template needs."""
    return frozenset(found[1] for found in _FIELD.finditer(template))


def _value(values: Mapping[str, Any], escape: Callable[[str], str], found: re.Match[str]) -> str:
    fields = values.get(found[1])
    value = fields.get(found[2]) if is_object(fields) else None
    if value is None:
        return ""
    return escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
