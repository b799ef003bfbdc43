"""Which fields of a schema are secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPS: Final = 20_000
"""A schema that takes longer to walk (types nested in each other many times over) counts as secret as a whole."""

_BELOW: Final = ("items", "additionalProperties", "contains", "unevaluatedProperties")
_SAME: Final = ("if", "then", "else", "not")

_Visit = tuple[Any, str, frozenset[str]]


def secret_pointers(schema: Any) -> tuple[str, ...]:
    """JSON pointers of the values marked `format: password` or `writeOnly: true`, with `*` for any index or key.

    A type that contains itself is followed once.
    """
    if not _marks_any(schema):
        return ()
    found: set[str] = set()
    queue: list[_Visit] = [(schema, "", frozenset())]
    for _ in range(_STEPS):
        if not queue:
            return tuple(sorted(found))
        node, pointer, seen = queue.pop()
        if isinstance(node, dict):
            if _is_marked(node):
                found.add(pointer)
            queue.extend(_parts(node, schema, pointer, seen))
    return ("",)


def _is_marked(schema: dict[str, Any]) -> bool:
    return schema.get("format") == "password" or schema.get("writeOnly") is True


def _marks_any(value: Any) -> bool:
    match value:
        case dict():
            return _is_marked(value) or any(_marks_any(inner) for inner in value.values())
        case list():
            return any(_marks_any(inner) for inner in value)
        case _:
            return False


def _parts(schema: dict[str, Any], root: Any, pointer: str, seen: frozenset[str]) -> Iterator[_Visit]:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/") and reference not in seen:
        yield _resolve(root, reference), pointer, seen | {reference}
    for name, inner in _items(schema.get("properties")):
        yield inner, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}", seen
    for keyword in _BELOW:
        yield schema.get(keyword), f"{pointer}/*", seen
    for keyword in _SAME:
        yield schema.get(keyword), pointer, seen
    for _, inner in _items(schema.get("patternProperties")):
        yield inner, f"{pointer}/*", seen
    for keyword in ("allOf", "anyOf", "oneOf"):
        for inner in schema.get(keyword) or ():
            yield inner, pointer, seen
    for inner in schema.get("prefixItems") or ():
        yield inner, f"{pointer}/*", seen


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _resolve(root: Any, reference: str) -> Any:
    node = root
    for token in reference[2:].split("/"):
        key = token.replace("~1", "/").replace("~0", "~")
        node = node.get(key) if isinstance(node, dict) else None
    return node
