"""What a codec is built from, how it is loaded, and how a schema is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.packages import read_package, type_of
from toolgen.schema.cost.bounds import BACKTRACK_LIMIT

if TYPE_CHECKING:
    from jsonschema_rs import KeywordValidator, Validator

    from toolgen.runtime.base.packages import Side
    from toolgen.schema.cost.bounds import Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecSource:
    """The schema and the type of a codec.

    `type` is a generated model class, an alias such as `list[Profile]`, or None for plain JSON values. With `foreign`
    it is a model of the host, whose validators may reject values too. `name` is for messages.
    """

    name: str
    schema: Any
    type: Any = None
    assert_formats: bool = False
    foreign: bool = False


def compiled_validator(schema: Any, bounds: Bounds, *, assert_formats: bool = False) -> Validator:
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
        validate_formats=assert_formats,
        keywords=None if assert_formats else _ANNOTATIONS,
        offline=True,
        pattern_options=FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT, size_limit=bounds.pattern_bytes),
    )


def compiled_source(package: str, ident: str, side: Side) -> CodecSource:
    """Read one side of a compiled tool, and import its type."""
    found = read_package(package)
    tool = found.tools[ident]
    return CodecSource(
        name=f"{ident} ({side})",
        schema=tool.get(side, True),
        type=type_of(package, tool, side),
        assert_formats=found.document.get("formats", "annotate") != "annotate",
    )


class _Annotation:
    """A keyword that checks nothing: jsonschema-rs enforces draft-07's content keywords, which are optional there."""

    def __init__(self, parent_schema: dict[str, Any], value: Any, schema_path: list[str | int]) -> None: ...

    def validate(self, instance: Any) -> None: ...


_ANNOTATIONS: Final[dict[str, type[KeywordValidator]]] = {
    "contentEncoding": _Annotation,
    "contentMediaType": _Annotation,
}
