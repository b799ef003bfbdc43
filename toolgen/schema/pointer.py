"""JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolgen.schema.json_values import is_array, is_object

_INDEX_DIGITS: Final = 10


def escape(key: str) -> str:
    """Escape a key for a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_of(path: Iterable[str | int]) -> str:
    """Return the pointer of keys and indexes."""
    return "".join(f"/{escape(str(step))}" for step in path)


def steps_of(pointer: str) -> list[str]:
    """Return the keys and indexes of a pointer."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def child(node: Any, key: str) -> Any:
    """Return the value in a mapping or a list under a key or an index in digits; None if there is none."""
    if is_object(node):
        return node.get(key)
    if not is_array(node):
        return None
    is_index = key.isascii() and key.isdigit() and len(key) < _INDEX_DIGITS
    return node[int(key)] if is_index and int(key) < len(node) else None
