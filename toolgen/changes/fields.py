"""Fields: a comparison of two schemas of objects told field by field, so that a change is shown where it was made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.compare import compare
from toolgen.schema.comparison.verdict import Verdict
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.schema_text import ANNOTATIONS, SILENT
from toolgen.schema.subschemas import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.schema.comparison.verdict import Comparison, Direction

_FIELD_BY_FIELD: Final = frozenset({"properties", "required"})
_PLAIN: Final = (
    frozenset({"type", "additionalProperties", "$schema", *_FIELD_BY_FIELD, *DEFINITIONS}) | ANNOTATIONS | SILENT
)
_BEYOND: Final = re.compile(
    rb'"(?:\$ref":"(?!#/(?:\$defs|definitions)/)|\$(?:dynamicRef|recursiveRef|id|anchor|dynamicAnchor)":"|id":")'
)
"""References to other places than definitions, and names for them, in canonical text: such a part is not alone."""


class Kind(StrEnum):
    """What happened to a field, or to the whole."""

    ADDED = "added"
    REMOVED = "removed"
    REQUIRED = "required"
    OPTIONAL = "optional"
    CHANGED = "changed"
    OTHERS = "others"
    """Keys that no field names."""
    WHOLE = "whole"
    """What the keywords beside the fields decide."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason why two schemas accept different values. `field` is empty for `OTHERS` and `WHOLE`.

    `comparison` is of the schemas of the field, or of the wholes; None where no schema decides.
    """

    kind: Kind
    field: str = ""
    comparison: Comparison | None = None

    @property
    def lost(self) -> Direction | None:
        """The values that were valid before and are not after; None if there are certainly none."""
        return _some(self.comparison.lost) if self.comparison else None

    @property
    def gained(self) -> Direction | None:
        """The values that became valid; None if there are certainly none."""
        return _some(self.comparison.gained) if self.comparison else None


def causes(before: Any, after: Any, *, formats_before: bool, formats_after: bool) -> Iterator[Cause]:
    """Yield the reasons why two schemas accept different values, in the order of the fields; the whole comes last.

    Each is compared alone. For plain schemas that decides; in others a field may be narrower and the whole not, because
    the keywords beside the fields excluded the values before.
    """
    if not (_has_fields(before) and _has_fields(after)):
        yield Cause(Kind.WHOLE)
        return

    def compared(one: Any, other: Any) -> Comparison:
        return compare(one, other, formats_before=formats_before, formats_after=formats_after)

    old, new = before.get("properties", {}), after.get("properties", {})
    must, now_must = _required(before), _required(after)
    for name in dict.fromkeys((*new, *old, *now_must, *must)):
        if name in now_must and name not in must:
            yield Cause(Kind.REQUIRED, name)
        if name in must and name not in now_must and (name in new or name not in old):
            yield Cause(Kind.OPTIONAL, name)
        if name not in old and name not in new:
            continue
        kind = Kind.ADDED if name not in old else Kind.REMOVED if name not in new else Kind.CHANGED
        one = old.get(name, _others(before))
        other = new.get(name, _others(after))
        if kind is not Kind.CHANGED or not _are_equal(one, other, before, after):
            yield Cause(kind, name, compared(_alone(one, before), _alone(other, after)))
    if is_plain(before) and is_plain(after):
        others = compared(_alone(_others(before), before), _alone(_others(after), after))
        if others.lost.verdict is not Verdict.NONE or others.gained.verdict is not Verdict.NONE:
            yield Cause(Kind.OTHERS, "", others)
        return
    rest = {keyword: value for keyword, value in before.items() if keyword not in _FIELD_BY_FIELD}
    same_fields = {keyword: after[keyword] for keyword in (*_FIELD_BY_FIELD, *DEFINITIONS) if keyword in after}
    whole = compared({**rest, **same_fields}, after)
    if whole.lost.verdict is not Verdict.NONE or whole.gained.verdict is not Verdict.NONE:
        yield Cause(Kind.WHOLE, "", whole)


def is_plain(schema: Any) -> bool:
    """Return whether the fields of a schema alone decide what it accepts: each by its own schema, present or absent."""
    return _has_fields(schema) and all(keyword in _PLAIN or keyword.startswith("x-") for keyword in schema)


def _some(direction: Direction) -> Direction | None:
    return None if direction.verdict is Verdict.NONE else direction


def _has_fields(schema: Any) -> bool:
    """Return whether a schema is of an object, and its fields can be compared one by one."""
    return (
        is_object(schema)
        and schema.get("type") == "object"
        and is_object(schema.get("properties", {}))
        and "patternProperties" not in schema
        and "$ref" not in schema
        and not _BEYOND.search(canonical(schema))
    )


def _required(schema: Mapping[str, Any]) -> list[str]:
    required = schema.get("required")
    return [name for name in required if isinstance(name, str)] if is_array(required) else []


def _others(schema: Mapping[str, Any]) -> Any:
    return schema.get("additionalProperties", True)


def _are_equal(one: Any, other: Any, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether two parts are equal, and so are the definitions that they may refer to."""
    if canonical(one) != canonical(other):
        return False
    return b'"$ref"' not in canonical(one) or all(
        canonical(before.get(each)) == canonical(after.get(each)) for each in DEFINITIONS
    )


def _alone(part: Any, whole: Mapping[str, Any]) -> Any:
    """Return a part of a schema that stands alone: with the draft and the definitions of the whole."""
    if not is_object(part):
        return part
    shared = {keyword: whole[keyword] for keyword in ("$schema", *DEFINITIONS) if keyword in whole}
    return {**shared, **part}
