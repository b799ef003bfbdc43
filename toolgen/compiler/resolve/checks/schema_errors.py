"""Messages for metaschema errors of schemas, in the terms of the spec language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import nearest
from toolgen.compiler.diagnostics.text import shown
from toolgen.compiler.resolve.schemas import keywords
from toolgen.compiler.resolve.schemas.spellings import respelled_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jsonschema import ValidationError

_SHOWN: Final = 120
_TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
_WANTED: Final = {
    "array": "a list",
    "boolean": "`true` or `false`",
    "integer": "an integer",
    "number": "a number",
    "object": "a mapping",
    "string": "a text",
}


def message_of(error: ValidationError, path: Sequence[str | int]) -> str:
    """Describe the error at a place of a schema."""
    where = f"`{path[-1]}`" if path else "the schema"
    keyword = _keyword(path)
    if keyword == "type":
        return f"`{short(_first_unknown(error.instance))}` is not a JSON type"
    if _wants_schema(error, path):
        return f"{where} must be a schema, but is {shown(error.instance)}"
    wanted = _WANTED.get(str(error.validator_value))
    if error.validator == "type" and wanted:
        return f"{where} must be {wanted}, but is {shown(error.instance)}"
    if keyword == "pattern":
        return f"no engine supports the pattern {short(str(error.instance))!r}"
    return f"{where} is not valid JSON Schema: {short(error.message)}"


def fix_of(error: ValidationError, path: Sequence[str | int]) -> str:
    """Return the fix, or an empty text."""
    keyword = _keyword(path)
    if keyword == "type":
        known = nearest(_first_unknown(error.instance), _TYPES)
        return known or "if this is a field called `type`, write `type!:` in the short form"
    if keyword == "items" and isinstance(error.instance, list):
        return "list positions in `prefixItems`, or write `dialect: draft-07` if the schema is of an older draft"
    if _wants_schema(error, path):
        return respelled_schema(error.instance)
    if error.validator_value == "string" and isinstance(error.instance, bool | int | float):
        return "put it in quotes"
    if keyword == "required" and isinstance(error.instance, bool):
        return (
            "a field is required unless its name ends in `?`, or if it is in the list `required` next to `properties`"
        )
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(error.instance, bool):
        return "write the bound itself, or `dialect: draft-04` if the schema is of that draft"
    return ""


def short(text: str) -> str:
    """Return a text, truncated if it is long."""
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _keyword(path: Sequence[str | int]) -> str:
    """Return the keyword at the end of a path; empty if that is another name, such as a field."""
    is_name = len(path) > 1 and path[-2] in keywords.SCHEMA_MAP
    return "" if is_name or not path else str(path[-1])


def _wants_schema(error: ValidationError, path: Sequence[str | int]) -> bool:
    if error.validator == "anyOf":
        return _keyword(path) in keywords.SCHEMA
    is_schema = len(path) > 1 and path[-2] in keywords.SCHEMA_MAP | keywords.SCHEMA_LIST
    return error.validator == "type" and (
        error.validator_value == ["object", "boolean"] or (error.validator_value == "object" and is_schema)
    )


def _first_unknown(kinds: Any) -> str:
    """Return the first invalid type in a value of `type`."""
    each = kinds if isinstance(kinds, list) else [kinds]
    return str(next((kind for kind in each if kind not in _TYPES), kinds))
