"""Names of parts of a schema, `$id` and anchors, and references to ambiguous names.

Published schemas often repeat an `$id` that is not referenced, which is harmless. A reference to one of several
different parts is not: validators resolve it differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urljoin

from toolgen.compiler.resolve.schemas import keywords
from toolgen.schema.subschemas import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

_Name: TypeAlias = tuple[str, str]
"""The URI of a resource, and an anchor in it; without an anchor it refers to the resource."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A subschema, the URI of its resource, and whether that is the root's resource."""

    pointer: list[str | int]
    schema: dict[str, Any]
    base: str
    in_root: bool


def joined(base: str, reference: str) -> str:
    """Return the absolute URI of a reference in a resource; the reference itself if it is not a URI."""
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def resource_of(schema: dict[str, Any], base: str, dialect: str) -> str:
    """Return the URI of a schema's resource, without a fragment: its `$id`, or that of the enclosing resource."""
    own = keywords.resource_name(schema, dialect).partition("#")[0]
    return joined(base, own) if own else base


def ambiguous_references(root: Any, dialect: str) -> Iterator[tuple[list[str | int], str]]:
    """Return the references to names of several different parts: their places and texts.

    `#/…` in the root's resource refers to the root, even if other parts have its name.
    """
    parts = list(_parts(root, dialect))
    named: dict[_Name, Any] = {}
    repeated: set[_Name] = set()
    for part in parts:
        for name in _names(part, dialect):
            if named.setdefault(name, part.schema) != part.schema:
                repeated.add(name)
    if not repeated:
        return
    for part in parts:
        for keyword in REFERENCES:
            reference = part.schema.get(keyword)
            if isinstance(reference, str) and _is_ambiguous(keyword, reference, part, repeated):
                yield [*part.pointer, keyword], reference


def _is_ambiguous(keyword: str, reference: str, part: _Part, repeated: Set[_Name]) -> bool:
    target, _, fragment = reference.partition("#")
    resource = joined(part.base, target) if target else part.base
    anchor = "" if fragment.startswith("/") else fragment
    if keyword == "$dynamicRef" and any(name == anchor for _, name in repeated if name):
        return True
    if anchor and (resource, anchor) in repeated:
        return True
    return (resource, "") in repeated and (bool(target) or not part.in_root)


def _parts(root: Any, dialect: str) -> Iterator[_Part]:
    found: dict[tuple[str | int, ...], _Part] = {}
    for pointer, schema in keywords.subschemas(root):
        place = tuple(pointer)
        around = found.get(place[:-1]) or found.get(place[:-2])  # below a keyword, or below a name or an index there
        base = resource_of(schema, around.base if around else "", dialect)
        in_root = around is None or (around.in_root and not keywords.resource_name(schema, dialect))
        found[place] = part = _Part(pointer, schema, base, in_root)
        yield part


def _names(part: _Part, dialect: str) -> Iterator[_Name]:
    own = part.schema.get(keywords.id_keyword(dialect))
    if not part.pointer or keywords.resource_name(part.schema, dialect):
        yield part.base, ""
    anchors = [part.schema.get(keyword) for keyword in keywords.ANCHORS]
    if isinstance(own, str):
        anchors.append(own.partition("#")[2])
    for anchor in anchors:
        if isinstance(anchor, str) and anchor and not anchor.startswith("/"):
            yield part.base, anchor
