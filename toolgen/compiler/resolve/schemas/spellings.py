"""Suggestions for types in the syntax of other languages, and for the short form inside JSON Schema."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_WORDS: Final = frozenset({"string", "integer", "number", "boolean", "object", "null", "any"})
_LIST: Final = re.compile(r"(.+)\[\]|(?:[Aa]rray|[Ll]ist)(?:\[(.+)\]|<(.+)>)")


def respelled_type(text: str, known: Collection[str]) -> str:
    """Return how to write `string|null`, `string?` or `string[]` in a spec; empty for other texts."""
    if text.endswith("?") and text[:-1] in known:
        return f"the mark of an optional field goes after its name: `name?: {text[:-1]}`"
    if (match := _LIST.fullmatch(text)) and (item := match[1] or match[2] or match[3]) in known:
        return f"write `[{item}]`"
    parts = [part.strip() for part in text.split("|")]
    if len(parts) < 2 or not known or any(part not in known for part in parts):
        return ""
    if any(_is_named(part) or part == "any" for part in parts):
        return f"write `{{anyOf: [{', '.join(map(_as_schema, parts))}]}}`"
    return f"write `{{type: [{', '.join(map(_quoted, parts))}]}}`"


def respelled_schema(value: Any) -> str:
    """Return how to write the short form of a schema inside JSON Schema; empty for other values."""
    match value:
        case str() if value in _WORDS or (_is_named(value) and value.isidentifier()):
            return f"inside JSON Schema write `{_as_schema(value)}`"
        case [str(item)] if item in _WORDS or _is_named(item):
            return f"inside JSON Schema write `{{type: array, items: {_as_schema(item)}}}`"
        case _:
            return ""


def _as_schema(word: str) -> str:
    if _is_named(word):
        return f'{{$ref: "#/types/{word}"}}'
    return "{}" if word == "any" else f"{{type: {_quoted(word)}}}"


def _is_named(word: str) -> bool:
    return word[:1].isupper()


def _quoted(word: str) -> str:
    """Quote `null`, which would be a value without quotes."""
    return '"null"' if word == "null" else word
