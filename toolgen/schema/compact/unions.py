"""Unions in JSON Schema: lists of alternatives with an equivalent, shorter schema."""

from __future__ import annotations

from typing import Any, Final, TypeGuard

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.subschemas import IN_PLACE_LIST

META_DATA: Final = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""JSON Schema's vocabulary of that name: keywords without effect on validation."""

_VALUES: Final = frozenset({"type", "const", "enum"})
_BLIND_TO_NULL: Final = frozenset({
    *("minLength", "maxLength", "pattern", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("minProperties", "maxProperties", "dependentRequired"),
})  # fmt: skip
"""Keywords that apply to values of one type other than null."""

_SAID_OF_THE_VALUE: Final = frozenset({"title", "description", "examples"})
"""Annotations that are also valid for a nullable value. A default is not: it belongs to the alternative."""


def without_union(schema: dict[str, Any]) -> dict[str, Any] | None:
    """Return one schema equivalent to a list of alternatives with only annotations next to it; None if there is none.

    These are a list of one, only types (`type: [string, integer]`), only values (an `enum`), and one schema or null.
    """
    keyword = next((each for each in IN_PLACE_LIST if each in schema), None)
    if keyword is None or not META_DATA.union((keyword,)).issuperset(schema):
        return None
    branches = schema[keyword]
    if not is_array(branches) or not branches or not all(map(_is_readable, branches)):
        return None
    whole = _whole(branches, keyword)
    return None if whole is None else put_in_place(schema, keyword, whole)


def put_in_place(schema: dict[str, Any], keyword: str, whole: dict[str, Any]) -> dict[str, Any] | None:
    """Replace `keyword` by `whole`; None if both have different values under one key."""
    if any(schema[key] != whole[key] or not isinstance(whole[key], str) for key in whole if key in schema):
        return None
    made: dict[str, Any] = {}
    for key, value in schema.items():
        made.update(whole if key == keyword else {key: value})
    return made


def is_null(schema: Any) -> bool:
    """Whether a schema accepts only null, and has no other keywords."""
    if not is_object(schema) or len(schema) != 1:
        return False
    return schema.get("type") in ("null", ["null"]) or schema.get("const", ...) is None or schema.get("enum") == [None]


def accepts_null(schema: Any) -> bool:
    """Whether a schema accepts null by its type, its values or an alternative."""
    if not _is_readable(schema):
        return False
    if "null" in types_of(schema) or None in schema.get("enum", ()):
        return True
    unions = (schema.get(union) for union in ("anyOf", "oneOf"))
    return any(is_null(branch) or accepts_null(branch) for union in unions if is_array(union) for branch in union)


def types_of(schema: dict[str, Any]) -> list[str]:
    """Return the types in a schema's `type`."""
    named = schema.get("type", [])
    return list(named) if is_array(named) else [named]


def _is_readable(schema: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a schema is an object with a well-formed `type` and `enum`, if any."""
    if not is_object(schema) or not is_array(schema.get("enum", [])):
        return False
    named = schema.get("type", "any")
    types = named if is_array(named) else [named]
    return bool(types) and all(isinstance(name, str) for name in types)


def _whole(branches: list[dict[str, Any]], keyword: str) -> dict[str, Any] | None:
    if len(branches) == 1:
        return None if "default" in branches[0] else branches[0]
    if keyword == "allOf":
        return None
    is_exclusive = keyword == "oneOf"
    if all(branch.keys() == {"type"} for branch in branches):
        return _of_types(branches, is_exclusive=is_exclusive)
    if all(_VALUES.issuperset(branch) for branch in branches):
        found = _of_values(branches, is_exclusive=is_exclusive)
        if found is not None:
            return found
    others = [branch for branch in branches if not is_null(branch)]
    is_one_or_null = len(others) == 1 and len(branches) == 2
    return _or_null(others[0], is_exclusive=is_exclusive) if is_one_or_null else None


def _of_types(branches: list[dict[str, Any]], *, is_exclusive: bool) -> dict[str, Any] | None:
    types = [name for branch in branches for name in types_of(branch)]
    overlap = len(set(types)) < len(types) or {"integer", "number"} <= set(types)
    return None if is_exclusive and overlap else {"type": _type(types)}


def _of_values(branches: list[dict[str, Any]], *, is_exclusive: bool) -> dict[str, Any] | None:
    values: list[Any] = []
    types: list[str] = []
    is_typed = True
    for branch in branches:
        listed = _listed(branch)
        named = types_of(branch) or (["null"] if listed == [None] else [])
        if listed is None or not all(_is_among(value, named) for value in listed):
            return None
        is_typed = is_typed and bool(named)
        types += named
        values += listed
    distinct: list[Any] = list({(isinstance(value, bool), value): value for value in values}.values())
    if is_exclusive and len(distinct) < len(values):
        return None
    return {"type": _type(types), "enum": distinct} if is_typed else {"enum": distinct}


def _listed(branch: dict[str, Any]) -> list[Any] | None:
    """Return the values that a branch lists, if it does, and if all are scalars with simple equality."""
    if is_null(branch):
        return [None]
    if ("const" in branch) == ("enum" in branch):
        return None
    values = [branch["const"]] if "const" in branch else branch["enum"]
    is_plain = all(value is None or isinstance(value, bool | int | str) for value in values)
    return values if is_plain else None


def _is_among(value: Any, types: list[str]) -> bool:
    match value:
        case None:
            names = {"null"}
        case bool():
            names = {"boolean"}
        case int():
            names = {"integer", "number"}
        case _:
            names = {"string"}
    return not types or not names.isdisjoint(types)


def _or_null(schema: dict[str, Any], *, is_exclusive: bool) -> dict[str, Any] | None:
    if not (_BLIND_TO_NULL | _VALUES | _SAID_OF_THE_VALUE).issuperset(schema):
        return None
    made = dict(schema)
    if "const" in made:
        made = {
            ("enum" if key == "const" else key): [value] if key == "const" else value for key, value in made.items()
        }
        if "enum" in schema:
            return None
    types, values = types_of(made), made.get("enum")
    if not types and values is None:
        return None
    takes_null = (not types or "null" in types) and (values is None or None in values)
    if takes_null:
        return None if is_exclusive else made
    if types:
        made["type"] = _type([*types, "null"])
    if values is not None and None not in values:
        made["enum"] = [*values, None]
    return made


def _type(names: list[str]) -> str | list[str]:
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else distinct
