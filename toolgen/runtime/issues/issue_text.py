"""The texts of issues: short descriptions of values, names and counts, all of bounded length."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final

from toolgen.contract.records import Issue
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.text import cut

MAX_ISSUES: Final = 20
MAX_FOUND: Final = 80
MAX_TEXT: Final = 200

NOTHING: Final = "nothing"
"""What is found at the pointer of a missing field."""


def issue(pointer: str, keyword: str, expected: str, found: str, hint: str) -> Issue:
    """Build an issue with every text truncated to its limit."""
    return Issue(
        pointer=cut(pointer, MAX_TEXT),
        keyword=keyword,
        expected=cut(expected, MAX_TEXT),
        found=cut(found, MAX_FOUND),
        hint=cut(hint, MAX_TEXT),
    )


def described(value: Any) -> str:
    """Describe a value briefly, without its contents."""
    if is_object(value):
        return f"an object with {listed(list(islice(value, MAX_ISSUES)))}" if value else "an empty object"
    if is_array(value):
        return f"an array of {counted(len(value), 'item')}"
    return json_text(value[:MAX_FOUND] if isinstance(value, str) else value)


def json_text(value: Any) -> str:
    """Return a value as JSON, truncated."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), MAX_TEXT)


def quoted(name: str) -> str:
    """Return the name of a field in backticks."""
    return f"`{cut(name, MAX_FOUND)}`"


def listed(names: Sequence[str]) -> str:
    """Return names of fields, separated by commas."""
    return ", ".join(map(quoted, names[:MAX_ISSUES]))


def joined(texts: Iterable[str], word: str) -> str:
    """Join texts with commas and a word before the last: `a, b or c`."""
    *first, last = list(dict.fromkeys(texts))[:MAX_ISSUES]
    return f"{', '.join(first)} {word} {last}" if first else last


def counted(number: Any, noun: str) -> str:
    """Return a count with its noun: `1 item`, `2 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def type_name(value: Any) -> str:
    """Return the JSON type of a value."""
    if value is None:
        return "null"
    names = {"bool": "boolean", "int": "integer", "float": "number", "str": "string", "list": "array", "dict": "object"}
    return names[type(value).__name__]


def with_article(type_name: str) -> str:
    """Return the name of a JSON type or of a class with its article."""
    if type_name == "null":
        return type_name
    return f"an {type_name}" if type_name[0].lower() in "aeio" else f"a {type_name}"
