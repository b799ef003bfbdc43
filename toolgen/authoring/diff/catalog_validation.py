"""Damage of a `catalog.json` that is read from a package: what is not of the form that the compiler writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from toolgen.schema.json_values import value_of
from toolgen.schema.references import pointer_of
from toolgen.spec.tool_settings import ToolSettings

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
_SCHEMA: Final = {"type": ["object", "boolean"]}


def _list(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _each(entry: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": entry}


def _record(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **optional}}


def _keys(schema: Any, *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, schema)


_TEXTS: Final = _list(_TEXT)
_ANSWERS: Final = _each({"enum": ["allow", "ask", "deny", "exclude"]})
_TOOLSET: Final = _record(
    _keys(_TEXT, "kind", "package"),
    {**_keys(_TEXT, "description", "exported_by"), "server": _OBJECT, "has_handlers": _FLAG},
)


def _form(kind: Any) -> dict[str, Any]:
    """Return the form of a value of a type in a catalog."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _list(_form(parts[0]))
    if origin in (Union, UnionType):
        return {"anyOf": [_form(part) for part in parts if part is not NoneType]}
    if is_dataclass(kind):
        required = {each.name for each in fields(kind) if each.default is each.default_factory is MISSING}
        forms = _forms(kind)
        return _record({name: forms[name] for name in required}, forms)
    return _OBJECT if origin is Mapping else _TEXT if origin is Literal else _SCALARS.get(kind, {})


def _forms(record: Any) -> dict[str, Any]:
    return {name: _form(hint) for name, hint in get_type_hints(record, localns={"Mapping": Mapping}).items()}


_SCALARS: Final[Mapping[Any, dict[str, Any]]] = {str: _TEXT, bool: _FLAG, int: _NUMBER, float: _NUMBER}
_TOOL: Final = _record(
    {**_keys(_TEXT, "permission", "description", "title"), **_keys(_SCHEMA, "args", "result")},
    {
        **_keys(_TEXT, "args_type", "result_type"),
        "tags": _TEXTS,
        **_forms(ToolSettings),
        "server_data": _each(_SCHEMA),
    },
)
_AGENT: Final = _record(
    _keys(_TEXT, "package"),
    {**_keys(_TEXT, "description", "role", "system"), **_keys(_TEXTS, "use", "on_request", "suggest", "export")},
)
_ACTION: Final = _record(_keys(_TEXT, "target"), {"schema": _SCHEMA})
_CATEGORY: Final = _record(
    {"name": {"type": "string", "pattern": "^(?!.*__).*[^_]$"}, "description": _TEXT},
    {"formerly": _TEXTS, "actions": _each(_ACTION), "resource": _ACTION, "invoke": _TEXT},
)
_CATALOG: Final = _record(
    {"categories": _list(_CATEGORY), "module": _TEXT},
    {
        "prompt": _TEXT,
        "hot_list_size": _NUMBER,
        "hot_list_seeds": _TEXTS,
        "mandates": _list(_OBJECT),
    },
)
_POLICY: Final = _record(
    {},
    {
        **_keys(_ANSWERS, "rules", "network"),
        **_keys(_each(_ANSWERS), "roles", "modes"),
        **_keys(_TEXTS, "registered", "write_roots", "sensitive", "env"),
        "tmp": _FLAG,
        "hard_links": _FLAG,
        "limits": _each(_NUMBER),
        "on_permission_deny": _TEXT,
        "approvers": _each(_record({}, {"user": _FLAG, "roles": _TEXTS, "people": _NUMBER})),
    },
)
_FORM: Final = _record(
    {"toolsets": _each(_TOOLSET), "tools": _each(_TOOL)},
    {
        "agents": _each(_AGENT),
        "catalogs": _each(_CATALOG),
        "policies": _each(_POLICY),
        **_keys(_each(_TEXT), "tags", "wire_names"),
        **_keys(_TEXT, "formats", "generator"),
    },
)


def damage_of(text: bytes) -> str:
    """Return the first part of a `catalog.json` that is damaged, and how; empty if there is none."""
    from jsonschema_rs import validator_for  # imported on use: it takes 15 ms

    try:
        document = value_of(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}"
    found = next(validator_for(_FORM).iter_errors(document), None)
    if found is not None:
        return f"at `{pointer_of(found.instance_path)}`: {found.message[:200]}"
    homeless = next(
        (ident for ident in document["tools"] if ident.rpartition(".")[0] not in document["toolsets"]), None
    )
    return "" if homeless is None else f"at `{pointer_of(['tools', homeless])}`: there is no such toolset"
