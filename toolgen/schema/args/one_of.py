"""`one_of` of a spec: args of which exactly one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.schema.json_values import is_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_one_of(schema: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of args, exactly one of which must be given."""
    if not names:
        return dict(schema)
    choice = {"oneOf": [{"required": [name]} for name in names]}
    if "oneOf" not in schema:
        return {**schema, **choice}
    others = schema.get("allOf")
    return {**schema, "allOf": [*(others if is_array(others) else ()), choice]}
