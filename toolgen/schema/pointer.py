"""JSON pointers (RFC 6901), and the references inside a document that are made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from toolgen.schema.json_values import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable

_INDEX_DIGITS: Final = 10


def escape(key: str) -> str:
    """Spell a key as one step of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_of(path: Iterable[str | int]) -> str:
    """Spell keys and indexes as a pointer."""
    return "".join(f"/{escape(str(step))}" for step in path)


def steps_of(pointer: str) -> list[str]:
    """The keys and indexes that a pointer spells."""
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def key_of(step: str) -> str:
    """The key that one step of a reference spells: `a%20b~1c` is `a b/c`."""
    return unquote(step).replace("~1", "/").replace("~0", "~")


def child(node: Any, key: str) -> Any:
    """What lies in a mapping or a list under a key, or an index in digits; None where nothing does."""
    if is_object(node):
        return node.get(key)
    if not is_array(node):
        return None
    is_index = key.isascii() and key.isdigit() and len(key) < _INDEX_DIGITS
    return node[int(key)] if is_index and int(key) < len(node) else None


def at(root: Any, reference: str) -> Any:
    """What `#`, or `#/…`, leads to in a document; None where it leads nowhere, or is another kind of reference."""
    head, *steps = reference.split("/")
    node = root if head == "#" else None
    for step in steps:
        node = child(node, key_of(step))
    return node
