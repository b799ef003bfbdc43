"""Example args: the smallest that fit a schema, for a model whose args did not."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from toolgen.spec.tool_settings import Example

_LONGEST: Final = 400
"""Maximum characters of an example; a longer one would distract from the issues."""

_MADE_UP: Final[dict[str, Any]] = {"string": "text", "integer": 1, "number": 1, "boolean": True, "null": None}


def example_of(schema: Any, examples: Sequence[Example], fits: Callable[[Any], bool]) -> str:
    """Return args as JSON text: the first of the `examples` that fits, or generated ones.

    Empty if no short one fits.
    """
    try:
        made = examples[0].args if examples else _made_up(schema)[0]
    except _TooLong:
        return ""
    text = json.dumps(made, ensure_ascii=False)
    return text if len(text) <= _LONGEST and fits(made) else ""


class _TooLong(Exception):
    """The smallest value of a schema is too long for an example."""


def _made_up(schema: Any) -> tuple[Any, int]:
    """Generate a value from the common keywords of a schema, and count its values. The caller must validate it.

    Raises `_TooLong` if there are too many.
    """
    if not is_object(schema):
        return None, 1
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword], 1
    for keyword in ("enum", "examples"):
        if is_array(schema.get(keyword)) and schema[keyword]:
            return schema[keyword][0], 1
    kinds = schema.get("type")
    kind = kinds[0] if is_array(kinds) and kinds else kinds
    if kind == "object" or "properties" in schema:
        fields = schema.get("properties", {})
        made = {name: _made_up(fields.get(name)) for name in schema.get("required", ())[:_LONGEST]}
        return {name: value for name, (value, _) in made.items()}, _counted(1 + sum(size for _, size in made.values()))
    if kind == "array":
        count = int(min(schema.get("minItems", 0), _LONGEST))
        item, size = _made_up(schema.get("items")) if count else (None, 0)
        return [item] * count, _counted(1 + count * size)
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1)), 1
    return (_MADE_UP.get(kind) if isinstance(kind, str) else None), 1


def _counted(size: int) -> int:
    if size > _LONGEST:
        raise _TooLong
    return size
