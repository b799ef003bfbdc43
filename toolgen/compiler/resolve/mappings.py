"""Mappings of actions: checks values of target parameters, and computes the schema of the action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.references import ARGS, ENTRY, args_read, literal_of, references_in, takes_all
from toolgen.compiler.resolve.checks.validity import violations
from toolgen.contract.qualified import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEPT: Final = ("$schema", "$defs", "definitions", "type", "title", "description")
"""Keywords of the target's schema that still apply if some of its properties are mapped."""


def misfit(value: Any, parameter: str, target: Mapping[str, Any]) -> str:
    """Return why a value does not fit a parameter of a target, given the schema of its args; empty if it fits.

    A literal is checked against the schema. For `$entry`, which is text, and `$args`, an object, the type is checked.
    """
    schema = target["properties"][parameter]
    if not any(references_in(value)):
        definitions = {key: target[key] for key in ("$schema", "$defs", "definitions") if key in target}
        found = violations({**definitions, "properties": {parameter: schema}}, {parameter: _unescaped(value)})
        return found[0][1] if found else ""
    return _type_misfit(value, schema, target)


def _type_misfit(value: Any, schema: Any, target: Mapping[str, Any]) -> str:
    schema = _followed(schema, target)
    types = schema.get("type") if isinstance(schema, dict) else None
    allowed = [types] if isinstance(types, str) else types
    wanted = "array" if isinstance(value, list) else {ENTRY: "string", ARGS: "object"}.get(value, "")
    if wanted and allowed is not None and wanted not in allowed:
        what = "a list" if wanted == "array" else f"`{value}`, which is {'text' if wanted == 'string' else 'an object'}"
        return f"it accepts {' or '.join(allowed)}, but is given {what}"
    if isinstance(value, list) and isinstance(schema, dict) and "items" in schema:
        return next(filter(None, (_type_misfit(item, schema["items"], target) for item in value)), "")
    return ""


def _followed(schema: Any, target: Mapping[str, Any]) -> Any:
    """Return the target of a local reference; the schema itself for other or recursive references."""
    for _ in range(10):
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        parts = reference.split("/") if isinstance(reference, str) else []
        if len(parts) != 3 or parts[0] != "#" or parts[1] not in ("$defs", "definitions"):
            return schema
        schema = target.get(parts[1], {}).get(parts[2].replace("~1", "/").replace("~0", "~"), {})
    return {}


def _unescaped(value: Any) -> Any:
    if isinstance(value, list):
        return [_unescaped(item) for item in value]
    return literal_of(value) if isinstance(value, str) else value


def _items_of(schema: Any, target: Mapping[str, Any]) -> Any:
    """Return the schema of the items of a list parameter."""
    schema = _followed(schema, target)
    items = schema.get("items", {}) if isinstance(schema, dict) else {}
    return {} if isinstance(items, list) else items


def shown_schema(
    target: Mapping[str, Any], args: Mapping[str, Any], split: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    """Return the schema of an action: that of its target, without mapped or split parameters, plus the action's args.

    Keywords of the target about several properties are dropped, because they would apply to other properties.
    """
    mapped = {*args, *(parameter for pair in split.values() for parameter in pair)}
    known: Mapping[str, Any] = target.get("properties", {})
    needed = target.get("required", [])
    properties = {name: schema for name, schema in known.items() if name not in mapped}
    required = [name for name in needed if name not in mapped]
    is_open = target.get("additionalProperties", True) is not False
    for parameter, value in args.items():
        if value == ARGS:
            properties[parameter] = known[parameter]
        for name in args_read(value):
            schema = known[parameter] if isinstance(value, str) else _items_of(known[parameter], target)
            properties.setdefault(name, schema)
            if parameter in needed and name not in required:
                required.append(name)
        is_open = is_open or takes_all(value)
    for arg, pair in split.items():
        form = SEPARATOR.join(f"<{parameter}>" for parameter in pair)
        properties[arg] = {"type": "string", "description": f"`{form}`."}
        if not set(needed).isdisjoint(pair):
            required.append(arg)
    kept = {key: target[key] for key in _KEPT if key in target}
    return {
        **kept,
        "properties": properties,
        **({"required": required} if required else {}),
        **({} if is_open else {"additionalProperties": False}),
    }
