"""Validation of values against a schema, and its issues, in bounded time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolgen.runtime.issues.issues import issues_of, not_checkable, not_listable
from toolgen.schema.cost.bounds import Bounds
from toolgen.schema.cost.count import Reach
from toolgen.schema.cost.evaluations import MAX_EVALUATIONS, Listing, evaluations, listing
from toolgen.schema.cost.validator import compiled_validator

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema_rs import ValidationError, Validator

    from toolgen.contract.records import Issue


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
