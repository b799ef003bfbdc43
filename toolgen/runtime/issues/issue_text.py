"""The texts of issues: values, names and numbers of things in a few words, all of bounded length."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import Issue
from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_ISSUES: Final = 20
MAX_FOUND: Final = 80
MAX_TEXT: Final = 200


def issue(pointer: str, keyword: str, expected: str, found: str, hint: str) -> Issue:
    """Build an issue with every text cut to its bound."""
    return Issue(
        pointer=cut(pointer, MAX_TEXT),
        keyword=keyword,
        expected=cut(expected, MAX_TEXT),
        found=cut(found, MAX_FOUND),
        hint=cut(hint, MAX_TEXT),
    )


def described(value: Any) -> str:
    """Show a value shortly, without spelling out what it contains."""
    if is_object(value):
        return f"an object with {listed(list(islice(value, MAX_ISSUES)))}" if value else "an empty object"
    if is_array(value):
        return f"an array of {counted(len(value), 'item')}"
    return json_text(value[:MAX_FOUND] if isinstance(value, str) else value)


def json_text(value: Any) -> str:
    """A value as JSON, or the beginning of it."""
    return cut(json.dumps(value, ensure_ascii=False, default=str), MAX_TEXT)


def quoted(name: str) -> str:
    """The name of a field."""
    return f"`{cut(name, MAX_FOUND)}`"


def listed(names: Sequence[str]) -> str:
    """Names of fields, with commas."""
    return ", ".join(map(quoted, names[:MAX_ISSUES]))


def joined(texts: Iterable[str], word: str) -> str:
    """Texts with commas and a word before the last: `a, b or c`."""
    *first, last = list(dict.fromkeys(texts))[:MAX_ISSUES]
    return f"{', '.join(first)} {word} {last}" if first else last


def counted(number: Any, noun: str) -> str:
    """A number of things: `1 item`, `2 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def type_name(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    names = {"bool": "boolean", "int": "integer", "float": "number", "str": "string", "list": "array", "dict": "object"}
    return names[type(value).__name__]


def with_article(type_name: str) -> str:
    """A JSON type in a sentence."""
    if type_name == "null":
        return type_name
    return f"an {type_name}" if type_name[0] in "aio" else f"a {type_name}"


def cut(text: str, limit: int) -> str:
    """The text, or as much of it as is within the limit."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
