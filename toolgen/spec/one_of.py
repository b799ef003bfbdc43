"""`one_of`: args of which exactly one must be given, as JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_one_of(schema: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the schema of args, exactly one of which must be given."""
    if not names:
        return dict(schema)
    choice = {"oneOf": [{"required": [name]} for name in names]}
    if "oneOf" not in schema:
        return {**schema, **choice}
    return {**schema, "allOf": [*schema.get("allOf", ()), choice]}
