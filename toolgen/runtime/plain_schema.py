"""Plain schemas: those whose valid values hold no surprise, so that codecs may take the short way."""

from __future__ import annotations

from typing import Any, Final

from toolgen.runtime.json_text import is_object

_SURPRISES: Final = ("$dynamicRef", "$recursiveRef", "patternProperties", "prefixItems")
_NULL: Final = {"type": "null"}


def is_plain(schema: Any) -> bool:
    """Whether a valid value holds only what `schema` spells out: scalars by type, closed objects, arrays of these.

    Then the validator refuses every infinite number (it does so wherever a type is asked for), no object has a key
    that its class lacks, and nothing is deeper than the schema. Not plain: recursion, and alternatives other than null.
    """
    return _is_plain(schema, schema, {})


def _is_plain(node: Any, root: Any, known: dict[str, bool]) -> bool:
    if not is_object(node) or any(keyword in node for keyword in _SURPRISES):
        return False
    if "$ref" in node:
        return _refers_to_plain(node["$ref"], root, known)
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            branches = [branch for branch in node[keyword] if branch != _NULL]
            return len(branches) == 1 and _is_plain(branches[0], root, known)
    named = node.get("type", "string" if "enum" in node else ())
    types = {named} if isinstance(named, str) else set(named)
    if "object" in types and not _is_closed(node, root, known):
        return False
    if "array" in types and not _is_plain(node.get("items"), root, known):
        return False
    return bool(types)


def _refers_to_plain(ref: str, root: Any, known: dict[str, bool]) -> bool:
    if ref not in known:
        known[ref] = False  # until it is known: what refers to itself is not plain
        _, _, name = ref.rpartition("/")
        definitions = {f"#/{keyword}/{name}": root.get(keyword, {}).get(name) for keyword in ("$defs", "definitions")}
        known[ref] = _is_plain(definitions.get(ref), root, known)
    return known[ref]


def _is_closed(node: dict[str, Any], root: Any, known: dict[str, bool]) -> bool:
    fields = node.get("properties", {}).values()
    return node.get("additionalProperties") is False and all(_is_plain(field, root, known) for field in fields)
