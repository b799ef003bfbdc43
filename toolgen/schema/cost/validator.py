"""Validators within the limits: what calls, checks and comparisons validate with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.cost.bounds import BACKTRACK_LIMIT

if TYPE_CHECKING:
    from jsonschema_rs import KeywordValidator, Registry, Validator

    from toolgen.schema.cost.bounds import Bounds


def compiled_validator(
    schema: Any, bounds: Bounds, *, assert_formats: bool = False, registry: Registry | None = None
) -> Validator:
    """Compile a schema. Nothing is fetched, and formats are checked only with `assert_formats`.

    Raises what jsonschema-rs raises for a schema that it cannot compile: `ValidationError`, `ReferencingError`, or
    `ValueError`.
    """
    from jsonschema_rs import (  # imported on first use: it takes 15 ms
        FancyRegexOptions,
        validator_for,
    )

    return validator_for(
        schema,
        registry=registry,
        validate_formats=assert_formats,
        keywords=None if assert_formats else _ANNOTATIONS,
        offline=True,
        pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT, size_limit=bounds.pattern_bytes),
    )


def is_usable(schema: Any, bounds: Bounds, *, assert_formats: bool = False) -> bool:
    """Return whether a schema can be compiled."""
    from jsonschema_rs import ReferencingError  # a `ValidationError` is a `ValueError`

    try:
        compiled_validator(schema, bounds, assert_formats=assert_formats)
    except (ReferencingError, ValueError):
        return False
    return True


def registry_of(uri: str, schema: Any) -> Registry:
    """Return a registry in which references find a schema, and its parts, under a URI."""
    from jsonschema_rs import Registry

    return Registry([(uri, schema)])


class _Annotation:
    """A keyword that checks nothing: jsonschema-rs enforces draft-07's content keywords, which are optional there."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None: ...

    def validate(self, instance: Any) -> None: ...


_ANNOTATIONS: Final[dict[str, type[KeywordValidator]]] = {
    "contentEncoding": _Annotation,
    "contentMediaType": _Annotation,
}
