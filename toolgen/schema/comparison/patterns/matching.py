"""Whether a pattern matches a text, as jsonschema-rs decides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from toolgen.schema.cost.bounds import Bounds
from toolgen.schema.cost.validator import compiled_validator

if TYPE_CHECKING:
    from jsonschema_rs import Validator


@lru_cache(maxsize=1_000)
def _validator(pattern: str) -> Validator:
    schema = {"pattern": pattern}
    return compiled_validator(schema, Bounds(schema))


@lru_cache(maxsize=10_000)
def matches(pattern: str, text: str) -> bool:
    """Return whether the validator finds a pattern in a text."""
    return _validator(pattern).is_valid(text)
