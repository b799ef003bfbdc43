"""Styles: JSON values as parts of a URL, a header or a cookie, by OpenAPI 3.2 (Style Values) and RFC 6570.

A value within an item or a field has no serialization there, except for `deepObject`: it is sent as JSON. Null, an
empty list and an empty object are undefined in RFC 6570, and left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RESERVED: Final = ":/?@!$'()*,;="
"""The characters that `allow_reserved` keeps: all reserved ones but those that end a value (`#`, `&`), that forms read
as a blank (`+`), and that no query may have (`[`, `]`).
"""

_SEPARATORS: Final = {
    "form": ",",
    "simple": ",",
    "cookie": ",",
    "spaceDelimited": "%20",
    "pipeDelimited": "%7C",
    "tabDelimited": "%09",
}
_EXPLODED: Final = frozenset({"form", "cookie", "deepObject"})
"""The styles that send items one by one unless told otherwise."""


def percent_encoded(text: str) -> str:
    """Encode all but the unreserved characters of RFC 3986."""
    return quote(text, safe="")


def reserved_kept(text: str) -> str:
    """Encode for `allow_reserved`."""
    return quote(text, safe=_RESERVED)


def unchanged(text: str) -> str:
    """Return the text: headers are not percent-encoded."""
    return text


def text_of(value: Any) -> str:
    """Return a JSON value as text: a string as it is, a number or a boolean as in JSON, anything else as JSON.

    A number without a fraction is an integer, as it is to JSON Schema.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_undefined(value: Any) -> bool:
    """Return whether a value is left out."""
    return value is None or ((is_array(value) or is_object(value)) and not _defined(value))


def in_path(name: str, value: Any, style: str, *, explode: bool) -> str:
    """Serialize a value for the path (`simple`, `label`, `matrix`)."""
    if style == "label":
        items = _items(value, percent_encoded, explode=explode)
        return "." + ("." if explode or not (is_array(value) or is_object(value)) else ",").join(items)
    if style == "matrix":
        key = percent_encoded(name)
        if explode and is_object(value):
            return "".join(f";{item}" for item in _items(value, percent_encoded, explode=True))
        if explode and is_array(value):
            return "".join(f";{key}={item}" for item in _items(value, percent_encoded, explode=True))
        return f";{key}={','.join(_items(value, percent_encoded, explode=False))}"
    return in_header(value, style, explode=explode, encode=percent_encoded)


def in_header(value: Any, style: str = "simple", *, explode: bool, encode: Callable[[str], str] = unchanged) -> str:
    """Serialize a value for a header (`simple`)."""
    separator = _SEPARATORS[style] if encode is percent_encoded else unquote(_SEPARATORS[style])
    return separator.join(_items(value, encode, explode=explode))


def pairs(
    name: str,
    value: Any,
    style: str = "form",
    *,
    explode: bool | None = None,
    encode: Callable[[str], str] = percent_encoded,
) -> list[tuple[str, str]]:
    """Serialize a value as encoded names and values, for a query, a cookie or a form."""
    key = percent_encoded(name)
    explode = style in _EXPLODED if explode is None else explode
    if is_undefined(value):
        return []
    if style == "deepObject":
        return list(_deep(name, value, encode))
    if not is_array(value) and not is_object(value):
        return [(key, encode(text_of(value)))]
    if explode and is_object(value):
        return [(percent_encoded(field), encode(text_of(item))) for field, item in _defined(value)]
    if explode:
        return [(key, encode(text_of(item))) for _, item in _defined(value)]
    return [(key, _SEPARATORS[style].join(_items(value, encode, explode=False)))]


def _items(value: Any, encode: Callable[[str], str], *, explode: bool) -> list[str]:
    """Encode the items of a list, the fields of an object, or a value alone."""
    if is_array(value):
        return [encode(text_of(item)) for _, item in _defined(value)]
    if not is_object(value):
        return [encode(text_of(value))]
    fields = [(encode(field), encode(text_of(item))) for field, item in _defined(value)]
    return [f"{field}={item}" for field, item in fields] if explode else [part for pair in fields for part in pair]


def _deep(name: str, value: Any, encode: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Serialize `name[field]=value`; lists have indices, so that lists of objects stay apart."""
    if is_array(value) or is_object(value):
        for field, item in _defined(value):
            yield from _deep(f"{name}[{field}]", item, encode)
    else:
        yield percent_encoded(name), encode(text_of(value))


def _defined(value: Any) -> list[tuple[Any, Any]]:
    """The items of a list with their indices, or the fields of an object, without nulls."""
    entries = value.items() if is_object(value) else enumerate(value)
    return [(key, item) for key, item in entries if item is not None]
