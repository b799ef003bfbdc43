"""Whether a schema lets a number be where it does not ask for its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.json_text import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHILDREN: Final = ("properties", "patternProperties")


def refuses_infinity(schema: Any) -> bool:
    """Whether the validator refuses an infinite number wherever one could be; False where that is not plain to see.

    jsonschema-rs refuses one wherever a type, an enum or a const is asked for, so the question is whether that holds
    for all that a valid value can contain.
    """
    return _refuses(schema, schema, frozenset())


def _refuses(node: Any, root: Any, inside: frozenset[str]) -> bool:
    if not is_object(node):
        return node is False
    ref = node.get("$ref")
    if isinstance(ref, str):
        name = ref.removeprefix("#/$defs/")
        return ref in inside or (name != ref and _refuses(root.get("$defs", {}).get(name), root, inside | {ref}))
    if "enum" in node or "const" in node:
        return True
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            return _all(node[keyword], root, inside)
    types = node.get("type", ())
    types = [types] if isinstance(types, str) else types
    return (
        bool(types)
        and ("object" not in types or _refuses_fields(node, root, inside))
        and ("array" not in types or _refuses_items(node, root, inside))
    )


def _refuses_fields(node: dict[str, Any], root: Any, inside: frozenset[str]) -> bool:
    named = [child for keyword in _CHILDREN for child in node.get(keyword, {}).values()]
    return _all([node.get("additionalProperties"), *named], root, inside)


def _refuses_items(node: dict[str, Any], root: Any, inside: frozenset[str]) -> bool:
    items = node.get("items")
    rest = [node.get("additionalItems"), *items] if is_array(items) else [items, *node.get("prefixItems", ())]
    return _all(rest, root, inside)


def _all(nodes: Iterable[Any], root: Any, inside: frozenset[str]) -> bool:
    return all(_refuses(node, root, inside) for node in nodes)
