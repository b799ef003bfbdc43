"""Damage of a `catalog.json` that is read from a package: what is not of the form that the compiler writes."""

from __future__ import annotations

from typing import Any, Final

from toolgen.schema.json_values import value_of
from toolgen.schema.pointer import pointer_of

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_ANSWERS: Final = {"additionalProperties": {"enum": ["allow", "ask", "deny", "exclude"]}, "type": "object"}


def _keys(schema: Any, *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, schema)


def _each(entry: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": entry}


_ENTRY: Final = {
    "type": "object",
    "properties": {
        **_keys({"type": "object"}, "access", "command", "limits", "server"),
        **_keys(_TEXT, "args_type", "result_type", "description", "permission", "title", "system", "user", "method"),
        **_keys(_TEXT, "confirm", "cost", "source_name", "module", "package", "kind", "role"),
        **_keys({"type": "array"}, "examples", "one_of", "categories"),
        **_keys(_TEXTS, "inject", "use", "export", "suggest", "on_request", "roles", "tags"),
    },
}
_POLICY: Final = {
    "type": "object",
    "properties": {**_keys(_ANSWERS, "rules", "network"), **_keys(_each(_ANSWERS), "roles", "modes")},
}
_FORM: Final = {
    "type": "object",
    "properties": {
        **_keys(_each(_ENTRY), "agents", "catalogs", "toolsets"),
        "policies": _each(_POLICY),
        **_keys(_each(_TEXT), "tags", "wire_names"),
        "tools": _each({**_ENTRY, "required": ["permission", "args"]}),
    },
}


def damage_of(text: bytes) -> str:
    """Return the first part of a `catalog.json` that is damaged, and how; empty if there is none."""
    from jsonschema_rs import validator_for  # imported on use: it takes 15 ms

    try:
        document = value_of(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}"
    found = next(validator_for(_FORM).iter_errors(document), None)
    return "" if found is None else f"at `{pointer_of(found.instance_path)}`: {found.message[:200]}"
