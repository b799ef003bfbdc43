"""Media types: which content is JSON, text or bytes."""

from __future__ import annotations

from typing import Final

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"

_TEXTS: Final = ("text/", "application/xml", "application/yaml", "application/x-yaml", "application/javascript")
_TEXT_SUFFIXES: Final = ("+xml", "+yaml", "/x-www-form-urlencoded", "/x-ndjson", "/jsonl", "/json-seq", "/graphql")


def essence(media_type: str) -> str:
    """Return a media type without parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def charset_of(media_type: str) -> str:
    """Return the `charset` parameter; empty where there is none."""
    parameters = (each.strip().partition("=") for each in media_type.split(";")[1:])
    return next((value.strip('" ') for name, _, value in parameters if name.strip().lower() == "charset"), "")


def is_json(media_type: str) -> bool:
    """Return whether content is JSON, by the name or the suffix of its media type (RFC 6839); `*/*` is taken for it."""
    name = essence(media_type)
    return name in ("application/json", "text/json", "*/*", "application/*") or name.endswith("+json")


def is_text(media_type: str) -> bool:
    """Return whether content is text that is not JSON."""
    name = essence(media_type)
    return not is_json(name) and (name.startswith(_TEXTS) or name.endswith(_TEXT_SUFFIXES))


def is_binary(media_type: str) -> bool:
    """Return whether content is neither JSON nor text. Content without a media type is taken for text."""
    return bool(media_type) and not is_json(media_type) and not is_text(media_type)
