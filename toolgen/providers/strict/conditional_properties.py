"""Conditional properties: fields in the conditions of an object's schema that are not in its `properties`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.json_values import is_array, is_object
from toolgen.schema.pointer import at
from toolgen.schema.subschemas import IN_PLACE_LIST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})


def conditional_properties(part: Mapping[str, Any], whole: Mapping[str, Any]) -> set[str] | None:
    """Return the fields that a value may need because of subschemas applied to it.

    References in `whole` are followed; None if one cannot be resolved. Fields that are only in negated conditions, in
    `not` and `if`, are not needed.
    """
    found = set(_dependent(part))
    waiting = list(_applied(part, is_denied=False))
    seen: set[tuple[Any, bool]] = set()
    while waiting:
        schema, is_denied = waiting.pop()
        if not is_object(schema):
            continue
        found |= {*_names(schema.get("properties")), *_dependent(schema)}
        found |= set[str]() if is_denied else set(_names(schema.get("required")))
        waiting += _applied(schema, is_denied=is_denied)
        reference = schema.get("$ref")
        if "$ref" in schema and (reference, is_denied) not in seen:
            target = at(whole, reference) if isinstance(reference, str) else None
            if target is None:
                return None
            seen.add((reference, is_denied))
            waiting.append((target, is_denied))
        if not _DYNAMIC.isdisjoint(schema):
            return None
    return found


def _applied(part: Mapping[str, Any], *, is_denied: bool) -> Iterator[tuple[Any, bool]]:
    """Return the subschemas that apply to the same value, and whether they are negated."""
    for keyword in IN_PLACE_LIST:
        branches = part.get(keyword)
        if is_array(branches):
            yield from ((branch, is_denied) for branch in branches)
    for keyword in ("dependentSchemas", "dependencies"):
        schemas = part.get(keyword)
        if is_object(schemas):
            yield from ((schema, is_denied) for schema in schemas.values())
    yield from ((part.get(keyword), is_denied) for keyword in ("then", "else"))
    yield part.get("not"), not is_denied
    yield part.get("if"), True


def _dependent(part: Mapping[str, Any]) -> Iterator[str]:
    for keyword in ("dependentRequired", "dependencies"):
        names = part.get(keyword)
        if is_object(names):
            for each in names.values():
                yield from _names(each) if is_array(each) else ()


def _names(value: Any) -> Iterator[str]:
    if is_object(value) or is_array(value):
        yield from (name for name in value if isinstance(name, str))
