"""Bounds: what a schema allows besides a type, in short form for a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.schema.json_values import is_array, is_number, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

Bound: TypeAlias = tuple[str, str]
"""A bound as words, and a value that is shown as code; one of the two may be empty."""

_LONGEST: Final = 200
"""Maximum characters of a value."""

_NUMBERS: Final = (
    ("minimum", "≥ {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "≤ {}"),
    ("exclusiveMaximum", "< {}"),
    ("multipleOf", "multiple of {}"),
)
_SIZES: Final = (("Length", "character"), ("Items", "item"), ("Properties", "field"))


def bounds_of(schema: Any) -> tuple[Bound, ...]:
    """Return the bounds of a schema, of its only alternative beside null, and of the items of an array."""
    return tuple(dict.fromkeys(_bounds(schema, 0)))


def allowed_values(schema: Any) -> tuple[str, ...]:
    """Return the values of `enum` or `const`, as JSON, also those of the items of an array, or beside null."""
    for each in _parts(schema, 0):
        values = each["enum"] if is_array(each.get("enum")) else [each["const"]] if "const" in each else []
        if values:
            return tuple(map(shown, values))
    return ()


def default_of(schema: dict[str, Any]) -> str | None:
    """Return the default as JSON; None if there is none."""
    return shown(schema["default"]) if "default" in schema else None


def shown(value: Any) -> str:
    """Return a value as JSON of at most 200 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _parts(schema: Any, level: int) -> Iterator[dict[str, Any]]:
    """Yield a schema, its only alternative beside null, and the schema of its items."""
    if not is_object(schema) or level > 2:
        return
    yield schema
    for keyword in ("anyOf", "oneOf"):
        if is_array(schema.get(keyword)):
            others = [each for each in schema[keyword] if each != {"type": "null"}]
            if len(others) == 1:
                yield from _parts(others[0], level + 1)
    yield from _parts(schema.get("items"), level + 1)


def _bounds(schema: Any, level: int) -> Iterator[Bound]:
    if not is_object(schema) or level > 2:
        return
    for keyword, form in _NUMBERS:
        if is_number(schema.get(keyword)):
            yield form.format(json.dumps(schema[keyword])), ""
    for size, what in _SIZES:
        yield from _size(schema.get(f"min{size}"), schema.get(f"max{size}"), what)
    if schema.get("uniqueItems") is True:
        yield "no duplicates", ""
    for keyword in ("pattern", "format"):
        if isinstance(schema.get(keyword), str):
            yield keyword, schema[keyword]
    for keyword in ("anyOf", "oneOf"):
        if is_array(schema.get(keyword)):
            others = [each for each in schema[keyword] if each != {"type": "null"}]
            if len(others) == 1:
                yield from _bounds(others[0], level + 1)
    for words, code in _bounds(schema.get("items"), level + 1):
        yield f"each: {words}", code


def _size(least: Any, most: Any, what: str) -> Iterator[Bound]:
    """Yield the bounds of a length or a count in one phrase: `1 to 5 items`."""
    low, high = (value if is_number(value) else None for value in (least, most))
    if low is not None and high is not None:
        yield (_counted(low, what) if low == high else f"{low} to {_counted(high, what)}"), ""
    elif low is not None and low > 0:
        yield f"at least {_counted(low, what)}", ""
    elif high is not None:
        yield f"at most {_counted(high, what)}", ""


def _counted(number: float, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
