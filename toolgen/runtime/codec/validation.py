"""Validation of values against a schema, and its issues, in bounded time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args, get_origin

from toolgen.runtime.codec.pydantic_types import bare, is_json_value, model_class, wire_name, without_none
from toolgen.runtime.issues.issues import issues_of, not_checkable, not_listable
from toolgen.schema.bounds import Bounds, Reach, compiled_validator
from toolgen.schema.evaluations import MAX_EVALUATIONS, Listing, evaluations, listing
from toolgen.schema.json_values import is_object
from toolgen.schema.references import at_steps, steps_to

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

    from toolgen.contract.records import Issue


# Closed schemas, which describe everything that a valid value can contain, so that codecs may take the fast path.

_SURPRISES: Final = ("$dynamicRef", "$id", "$recursiveRef", "id", "patternProperties", "prefixItems")
_NULL: Final = {"type": "null"}


def is_closed(schema: Any, kind: Any = None) -> bool:
    """Whether a valid value contains only what `schema` describes: scalars by type, closed objects, arrays of these.

    Then the validator rejects every infinite number (it does so wherever a `type` is given), and nothing is nested
    deeper than the schema. With a type, `kind`, its classes must have every field too: then no object has a key that
    its class lacks. Not closed: recursion, and alternatives other than null.
    """
    within: dict[_Reference | None, set[_Reference | None]] = {None: set()}
    waiting: list[tuple[Any, Any, _Reference | None]] = [(schema, kind, None)]
    while waiting:
        node, expected, below = waiting.pop()
        if is_object(node) and "$ref" in node and not _has_surprises(node):
            if (steps := steps_to(node["$ref"])) is None:
                return False
            reference = (steps, expected)
            within[below].add(reference)
            if reference not in within:
                within[reference] = set()
                waiting.append((at_steps(schema, steps), expected, reference))
            continue
        if (parts := _parts(node, expected)) is None:
            return False
        waiting += [(part, of_part, below) for part, of_part in parts]
    try:
        TopologicalSorter(within).prepare()
    except CycleError:
        return False
    return True


_Reference: TypeAlias = tuple[tuple[str, ...], Any]
"""What a reference leads to, and the type of the values there."""


def _has_surprises(node: dict[str, Any]) -> bool:
    return any(keyword in node for keyword in _SURPRISES)


def _parts(node: Any, kind: Any) -> list[tuple[Any, Any]] | None:
    """Return the schemas that have to be closed for a schema without a reference to be, each with its type.

    Returns None for one that is not closed whatever they are.
    """
    if not is_object(node) or _has_surprises(node):
        return None
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            branches = [branch for branch in node[keyword] if branch != _NULL]
            return [(branches[0], kind)] if len(branches) == 1 else None
    named = node.get("type", "string" if "enum" in node else ())
    types = {named} if isinstance(named, str) else set(named)
    parts: list[tuple[Any, Any]] = []
    if "object" in types:
        fields, properties = _fields_of(_present(kind)), node.get("properties", {})
        if node.get("additionalProperties") is not False or (
            fields is not None and not properties.keys() <= fields.keys()
        ):
            return None
        parts += [(field, fields and fields[name]) for name, field in properties.items()]
    if "array" in types:
        parts.append((node.get("items"), _items_of(_present(kind))))
    return parts if types else None


def _present(kind: Any) -> Any:
    return bare(without_none(bare(kind))[0])


def _items_of(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is list else kind


def _fields_of(kind: Any) -> dict[str, Any] | None:
    """Map wire names to types; None if any key is allowed."""
    if kind is None or is_json_value(kind):
        return None
    model = model_class(kind)
    fields = model.model_fields if model else {}
    return {wire_name(name, field): field.annotation for name, field in fields.items()}


class Validation:
    """One schema, compiled at its first use."""

    def __init__(self, schema: Any, *, assert_formats: bool) -> None:
        self._schema = schema
        self._assert_formats = assert_formats

    @cached_property
    def is_valid(self) -> Callable[[Any], bool]:
        """Whether a value fits the schema, as decided by the validator.

        If the schema can take unbounded time, the cost of a value is counted first, and a value that costs too much is
        rejected.
        """
        is_valid = self._validator.is_valid
        if self._bounds.are_foreseen:
            return is_valid
        return lambda value: self._is_checkable(value) and is_valid(value)

    def issues(self, value: Any) -> tuple[Issue, ...]:
        """Return the issues of an invalid value: all, only the first, or that there are too many to list."""
        if not self._is_checkable(value):
            return (not_checkable(value, MAX_EVALUATIONS),)
        can_list = listing(self._bounds.graph, value)
        if can_list is Listing.NONE:
            return (not_listable(value),)
        return issues_of(self._list(value, can_list), self._schema)

    def errors(self, value: Any) -> list[ValidationError]:
        """Return all errors of a value, or the first if they could be too many; none if it cannot be checked."""
        return self._list(value, listing(self._bounds.graph, value)) if self._is_checkable(value) else []

    def _list(self, value: Any, can_list: Listing) -> list[ValidationError]:
        if can_list is Listing.ALL:
            return list(self._validator.iter_errors(value))
        from jsonschema_rs import ValidationError  # see `compiled_validator`

        try:
            self._validator.validate(value)
        except ValidationError as error:
            return [error]
        return []

    def _is_checkable(self, value: Any) -> bool:
        return self._bounds.are_foreseen or evaluations(self._reach, value) <= MAX_EVALUATIONS

    @cached_property
    def _bounds(self) -> Bounds:
        return Bounds(self._schema)

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self._bounds.graph)

    @cached_property
    def _validator(self) -> Validator:
        return compiled_validator(self._schema, self._bounds, assert_formats=self._assert_formats)
