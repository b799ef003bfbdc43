"""How deep a schema nests, and how many schemas apply to one value one inside another.

jsonschema-rs is native code and follows both on the C stack: past some ten thousand steps the process is gone. A value
may nest 200 levels (`toolgen.runtime.json_text.MAX_DEPTH`), and each level takes a whole chain of schemas anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.json_pointer import at
from toolgen.contract.keywords import IN_PLACE, IN_PLACE_LIST, IN_PLACE_MAP, REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_NESTING: Final = 250
"""Levels of mappings and lists in a schema that is spelled out; jsonschema-rs itself refuses 255."""

MAX_PARTS: Final = 100_000
"""Mappings and lists in a schema that is spelled out: each takes some 3 kB until it is in a package."""

MAX_CHAIN: Final = 100
"""Schemas that apply to the same value one inside another. 200 levels of 200 overflow a stack of 8 MB."""

_IN_PLACE: Final = frozenset({*REFERENCES, *IN_PLACE, *IN_PLACE_LIST, *IN_PLACE_MAP})
_ANCHORS: Final = ("$anchor", "$dynamicAnchor", "$id", "id")


def excess(schema: Any, *, most_parts: float = MAX_PARTS) -> str:
    """Say what of a schema is more than a validator can be trusted with, or nothing."""
    steps = parts = 0
    stack: list[tuple[Any, int]] = [(schema, 1)]
    while stack:
        node, depth = stack.pop()
        parts += 1
        if parts > most_parts:
            return f"it has more than {most_parts:,} parts, types and aliases spelled out"
        if depth > MAX_NESTING:
            return f"it is nested more than {MAX_NESTING} levels deep when short forms are spelled out"
        if isinstance(node, dict):
            steps += sum(_size(node[key]) for key in _IN_PLACE & node.keys())
            stack.extend((inner, depth + 1) for inner in node.values() if isinstance(inner, dict | list))
        elif isinstance(node, list):
            stack.extend((inner, depth + 1) for inner in node if isinstance(inner, dict | list))
    if steps > MAX_CHAIN and _Graph(schema).longest() > MAX_CHAIN:
        return f"more than {MAX_CHAIN} schemas apply to one value one inside another (`$ref`, `allOf` and such)"
    return ""


def _size(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 1


class _Graph:
    """The schemas of a document, and which of them apply to the same value as which. Nodes are known by `id`."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._schemas: list[dict[str, Any]] = []
        self._resource: dict[int, Any] = {}
        self._named: dict[str, list[Any]] = {}
        stack: list[tuple[Any, Any]] = [(root, root)]
        while stack:
            node, resource = stack.pop()
            if isinstance(node, dict):
                resource = node if _names_resource(node) else resource
                self._schemas.append(node)
                self._resource[id(node)] = resource
                for keyword in _ANCHORS:
                    if isinstance(name := node.get(keyword), str):
                        self._named.setdefault(_last(name), []).append(node)
                stack.extend((inner, resource) for inner in node.values())
            elif isinstance(node, list):
                stack.extend((inner, resource) for inner in node)

    def longest(self) -> int:
        """How many schemas the longest chain has. One that bites its tail counts once round."""
        lengths: dict[int, int] = {}
        for start in self._schemas:
            if id(start) in lengths:
                continue
            lengths[id(start)] = 0
            path = [(start, self._below(start), 0)]
            while path:
                node, below, length = path.pop()
                following = next(below, None)
                if following is None:
                    lengths[id(node)] = 1 + length
                    if path:
                        parent, rest, known = path.pop()
                        path.append((parent, rest, max(known, 1 + length)))
                elif id(following) in lengths:
                    path.append((node, below, max(length, lengths[id(following)])))
                else:
                    lengths[id(following)] = 0
                    path += [(node, below, length), (following, self._below(following), 0)]
        return max(lengths.values(), default=0)

    def _below(self, schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The schemas that a schema applies to its own value."""
        found: list[Any] = [schema.get(keyword) for keyword in IN_PLACE]
        for keyword in IN_PLACE_LIST:
            found += value if isinstance(value := schema.get(keyword), list) else []
        for keyword in IN_PLACE_MAP:
            found += value.values() if isinstance(value := schema.get(keyword), dict) else []
        for keyword in REFERENCES:
            if isinstance(reference := schema.get(keyword), str):
                found += self._targets(reference, self._resource[id(schema)])
        return (each for each in found if isinstance(each, dict) and id(each) in self._resource)

    def _targets(self, reference: str, resource: Any) -> list[Any]:
        """Where a reference may lead: to too many places rather than to too few."""
        place, _, fragment = reference.partition("#")
        resources = self._named.get(_last(place), []) if place else [resource]
        if fragment and not fragment.startswith("/"):
            return self._named.get(_last(fragment), [])
        return [at(each, f"#{fragment}") for each in resources]


def _names_resource(schema: dict[str, Any]) -> bool:
    return any(isinstance(name := schema.get(key), str) and not name.startswith("#") for key in ("$id", "id"))


def _last(name: str) -> str:
    """The last part of a URI or the name of an anchor, which is enough to find what may be meant."""
    return name.rstrip("#").rpartition("/")[2].rpartition("#")[2]
