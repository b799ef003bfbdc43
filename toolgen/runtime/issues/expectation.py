"""Short descriptions of what a subschema expects, and of its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolgen.runtime.issues.issue_text import MAX_ISSUES, json_text, listed, quoted
from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.references import at_steps, behind, followed, target_of
from toolgen.schema.subschemas import APPLIED_IN_PLACE, IN_PLACE_LIST, IN_PLACE_MAP, SCHEMA_LIST, SCHEMA_MAP

Path = list[Any]
"""Keywords, names and indexes, from the root of a schema."""

_MOST_SCHEMAS: Final = 200
"""Keywords that are searched for the known fields of a schema."""


def expectation(subschema: Any, schema: Any, depth: int = 3) -> str:
    """Describe what a subschema expects: `string`, `one of "a", "b"`, `array of integer`."""
    if not is_object(subschema) or not depth:
        return "any value"
    node = subschema
    if "$ref" in node:
        return expectation(behind(target_of(node, schema), schema), schema, depth - 1)
    if "enum" in node:
        return f"one of {', '.join(map(json_text, node['enum'][:MAX_ISSUES]))}"
    if "const" in node:
        return json_text(node["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            branches = node[keyword][:MAX_ISSUES]
            return " or ".join(dict.fromkeys(expectation(branch, schema, depth - 1) for branch in branches))
    types = node.get("type", "any value")
    if types == "array" and is_object(node.get("items")):
        return f"array of {expectation(node['items'], schema, depth - 1)}"
    return types if isinstance(types, str) else " or ".join(types)


def kind_of(subschema: Any, schema: Any) -> str:
    """The same if more than the type matters: the schema itself if it has other constraints."""
    node = followed(subschema, schema)
    if not is_object(node):
        return "any value" if node is True else "none"
    is_described = bool(node) and {"type", "enum", "const", "title", "description"}.issuperset(node)
    return expectation(node, schema) if is_described else json_text(node)


def at_path(path: Sequence[Any], schema: Any) -> Any:
    """Return the part of a schema at a path; None if there is none."""
    return at_steps(schema, map(str, path))


def segments(path: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the keywords on a path through a schema, each with the name or index that follows it, if any."""
    found: list[tuple[Any, ...]] = []
    index = 0
    while index < len(path):
        is_index = index + 1 < len(path) and isinstance(path[index + 1], int)
        length = 2 if path[index] in SCHEMA_MAP or (path[index] in SCHEMA_LIST and is_index) else 1
        found.append(tuple(path[index : index + length]))
        index += length
    return found


def fields_around(path: Path, schema: Any) -> dict[str, Any]:
    """Return the `properties` next to a keyword of a schema, and those of the schemas that contain it."""
    fields: dict[str, Any] = {}
    parts = segments(path)[:-1]
    while True:
        node = at_path([step for part in parts for step in part], schema)
        beside = node.get("properties") if is_object(node) else None
        fields = {**(beside if is_object(beside) else {}), **fields}
        if not parts or parts.pop()[0] not in APPLIED_IN_PLACE:
            return fields


def fields_evaluated(path: Path, schema: Any) -> list[str]:
    """Return the names of fields known to the schema next to a keyword, or to its subschemas."""
    names: dict[str, None] = {}
    waiting, seen = [at_path(path[:-1], schema)], set[int]()
    while waiting and len(seen) < _MOST_SCHEMAS:
        node = waiting.pop()
        if not is_object(node) or id(node) in seen:
            continue
        seen.add(id(node))
        if is_object(node.get("properties")):
            names.update(dict.fromkeys(node["properties"]))
        below = [node.get(keyword) for keyword in ("if", "then", "else")]
        below += [each for keyword in IN_PLACE_LIST if is_array(listed_ := node.get(keyword)) for each in listed_]
        below += [each for keyword in IN_PLACE_MAP if is_object(named := node.get(keyword)) for each in named.values()]
        below += [target_of(node, schema)] if "$ref" in node else []
        waiting += reversed(below)
    return list(names)


def known_fields(path: Path, schema: Any) -> str:
    """Describe which fields an object may have, if the keyword at a path rejects all others."""
    node = at_path(path[:-1], schema)
    own = node if is_object(node) else {}
    names = fields_evaluated(path, schema) if path[-1] == "unevaluatedProperties" else list(own.get("properties", {}))
    patterns = own.get("patternProperties", {})
    known = [f"known fields are {listed(names)}"] if names else []
    known += [f"names that match {' or '.join(map(json_text, patterns))} are known"] if patterns else []
    return ", and ".join(known) if known else "no other fields are known"


def reason(path: Path, schema: Any) -> str:
    """Describe the condition under which the keyword at a path applies: `because …`; empty if there is none.

    Only conditions on one field are described: that it has a value, or is given.
    """
    parts = segments(path)[:-1]
    while parts and parts[-1][0] in APPLIED_IN_PLACE:
        keyword, *name = parts.pop()
        if keyword in IN_PLACE_MAP:
            return f"because {quoted(str(name[0]))} is given"
        if keyword in ("then", "else"):
            node = at_path([step for part in parts for step in part], schema)
            return _because(node["if"], schema, holds=keyword == "then") if is_object(node) and "if" in node else ""
    return ""


def _because(condition: Any, schema: Any, *, holds: bool) -> str:
    condition = followed(condition, schema)
    if not is_object(condition) or not {"properties", "required", "type"}.issuperset(condition):
        return ""
    fields, required = condition.get("properties", {}), condition.get("required", [])
    if not fields and len(required) == 1:
        return f"because {quoted(required[0])} is {'given' if holds else 'not given'}"
    if len(fields) != 1 or not set(required) <= fields.keys():
        return ""
    ((name, field),) = fields.items()
    if not is_object(field) or not ({"const"} == field.keys() - {"type"} or {"enum"} == field.keys() - {"type"}):
        return ""
    value = expectation(field, schema)
    if holds:
        return f"because {quoted(name)} is {value}" if required else f"because {quoted(name)} is {value} or not given"
    return f"because {quoted(name)} is not {value}"
