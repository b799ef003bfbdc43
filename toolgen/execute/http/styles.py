"""Styles: JSON values as parts of a URL, a header or a cookie, by OpenAPI 3.2 (Style Values) and RFC 6570.

A value within an item or a field has no serialization there, except for `deepObject`: it is sent as JSON. Null, an
empty list and an empty object are undefined in RFC 6570, and left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final
from urllib.parse import quote, unquote

from toolgen.schema.json_values import is_array, is_object

_IN_QUERY: Final = ":/?@!$'()*,;="
"""The characters that `allow_reserved` keeps in a query: all reserved ones but those that end a value (`#`, `&`), that
forms read as a blank (`+`), and that no query may have (`[`, `]`).
"""
_IN_SEGMENT: Final = ":@!$&'()*+,="
"""Those that it keeps in a segment of a path: all but `;`, which servers take for the end of it (see `routes`)."""

IN_COOKIE: Final = ":/?#[]@!$&'()*+="
"""Those that it keeps in a cookie, which has neither `,` nor `;` (RFC 6265, section 4.1.1)."""
FORM_QUERY: Final = f"{_IN_QUERY}&+"
"""The characters that stay in a query that is given as a whole."""

_TRIPLE: Final = re.compile(r"(%[0-9A-Fa-f]{2})")

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


def encode_allow_reserved(text: str, safe: str = _IN_QUERY) -> str:
    """Encode for `allow_reserved`: reserved characters and percent-encoded triples stay (RFC 6570, section 3.2.3)."""
    parts = _TRIPLE.split(text)  # texts and triples in turn
    return "".join(part if index % 2 else quote(part, safe=safe) for index, part in enumerate(parts))


def path_encoding(*, allow_reserved: bool, separators: str) -> Callable[[str], str]:
    """Return what encodes values of a path; `separators` is that of the param."""
    kept = {"refuse": "", "encode": ";", "keep_slash": "/"}[separators]
    if allow_reserved:
        return partial(encode_allow_reserved, safe=_IN_SEGMENT + kept)
    return partial(quote, safe="/") if kept == "/" else percent_encoded


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


def in_path(name: str, value: Any, style: str, *, explode: bool, encode: Callable[[str], str] = percent_encoded) -> str:
    """Serialize a value for the path (`simple`, `label`, `matrix`); empty if it is left out."""
    if is_undefined(value):
        return ""
    if style == "label":
        is_joined = not explode and (is_array(value) or is_object(value))
        return "." + ("," if is_joined else ".").join(_items(value, encode, explode=explode))
    if style == "matrix":
        key = percent_encoded(name)
        if explode and is_object(value):
            fields = [(percent_encoded(field), encode(text_of(item))) for field, item in _defined(value)]
        elif explode and is_array(value):
            fields = [(key, text) for text in _items(value, encode, explode=True)]
        else:
            fields = [(key, ",".join(_items(value, encode, explode=False)))]
        return "".join(f";{field}={text}" if text else f";{field}" for field, text in fields)
    return in_header(value, style, explode=explode, encode=encode)


def in_header(value: Any, style: str = "simple", *, explode: bool, encode: Callable[[str], str] = unchanged) -> str:
    """Serialize a value for a header (`simple`)."""
    return _separator(style, encode).join(_items(value, encode, explode=explode))


def pairs(
    name: str,
    value: Any,
    style: str = "form",
    *,
    explode: bool | None = None,
    encode: Callable[[str], str] = percent_encoded,
    encode_name: Callable[[str], str] = percent_encoded,
) -> list[tuple[str, str]]:
    """Serialize a value as encoded names and values, for a query, a cookie, a form or the parts of a body."""
    key = encode_name(name)
    explode = style in _EXPLODED if explode is None else explode
    if is_undefined(value):
        return []
    if style == "deepObject":
        return list(_deep(name, value, encode, encode_name))
    if not is_array(value) and not is_object(value):
        return [(key, encode(text_of(value)))]
    if explode and is_object(value):
        return [(encode_name(field), encode(text_of(item))) for field, item in _defined(value)]
    if explode:
        return [(key, encode(text_of(item))) for _, item in _defined(value)]
    return [(key, _separator(style, encode).join(_items(value, encode, explode=False)))]


def _items(value: Any, encode: Callable[[str], str], *, explode: bool) -> list[str]:
    """Encode the items of a list, the fields of an object, or a value alone."""
    if is_array(value):
        return [encode(text_of(item)) for _, item in _defined(value)]
    if not is_object(value):
        return [encode(text_of(value))]
    fields = [(encode(field), encode(text_of(item))) for field, item in _defined(value)]
    return [f"{field}={item}" for field, item in fields] if explode else [part for pair in fields for part in pair]


def _separator(style: str, encode: Callable[[str], str]) -> str:
    return unquote(_SEPARATORS[style]) if encode is unchanged else _SEPARATORS[style]


def _deep(
    name: str, value: Any, encode: Callable[[str], str], encode_name: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Serialize `name[field]=value`; lists have indices, so that lists of objects stay apart."""
    if is_array(value) or is_object(value):
        for field, item in _defined(value):
            yield from _deep(f"{name}[{field}]", item, encode, encode_name)
    else:
        yield encode_name(name), encode(text_of(value))


def _defined(value: Any) -> list[tuple[Any, Any]]:
    """The items of a list with their indices, or the fields of an object, without nulls."""
    entries = value.items() if is_object(value) else enumerate(value)
    return [(key, item) for key, item in entries if item is not None]
