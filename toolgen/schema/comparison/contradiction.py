"""Contradictions: checking, shrinking and locating values that one document accepts and another rejects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.schema.comparison.patterns import matches
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.pointer import pointer_of
from toolgen.schema.schema_text import ASSERTIONS

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Document, Schema
    from toolgen.schema.comparison.refutation.validators import Validators


_MOST_CHECKS: Final = 2_000
"""Values that are checked to shrink one."""

_DEEPEST: Final = 60
_SIMPLER: Final[tuple[Any, ...]] = (None, False, 0, 1, "", "a", [], {})


class Contradiction:
    """Values that `holding` accepts and `failing` rejects."""

    def __init__(self, holding: Document, failing: Document, validators: Validators) -> None:
        self._holding = holding
        self._failing = failing
        self._accepting = validators.of(holding)
        self._rejecting = validators.of(failing)

    def is_shown_by(self, value: Any) -> bool:
        """Return whether a value is accepted and rejected."""
        if not self._accepting.is_checkable(value) or not self._rejecting.is_checkable(value):
            return False
        return not self._rejecting.whole.is_valid(value) and self._accepting.whole.is_valid(value)

    def shrunk(self, value: Any) -> Any:
        """Return a value that shows the contradiction too, from which nothing can be removed."""
        left = _MOST_CHECKS
        is_shrinking = True
        while is_shrinking:
            is_shrinking = False
            for candidate in _smaller(value):
                left -= 1
                if left < 0:
                    return value
                if self.is_shown_by(candidate):
                    value, is_shrinking = candidate, True
                    break
        return value

    def place_of(self, value: Any) -> tuple[str, str, str, str]:
        """Return where a value is rejected: pointers into the value and into both documents, and the keyword."""
        error = next(self._rejecting.whole.iter_errors(value))
        path, keyword = list(error.instance_path), list(error.schema_path)
        holds = _schema_at(self._holding.root, value, path)
        name = next((str(step) for step in reversed(keyword) if step in ASSERTIONS), "")
        return pointer_of(path), holds.pointer, pointer_of(keyword), name


def _smaller(value: Any) -> Iterator[Any]:
    """Return values with something less, larger steps first."""
    if is_object(value):
        yield from ({name: each for name, each in value.items() if name != left_out} for left_out in value)
        for name, each in value.items():
            yield from ({**value, name: smaller} for smaller in _smaller(each))
    elif is_array(value):
        yield from (value[: len(value) // 2], value[len(value) // 2 :]) if len(value) > 1 else ()
        yield from (value[:index] + value[index + 1 :] for index in range(len(value)))
        for index, each in enumerate(value):
            yield from ([*value[:index], smaller, *value[index + 1 :]] for smaller in _smaller(each))
    elif isinstance(value, str) and value:
        yield from (value[: len(value) // 2], value[1:], value[:-1])
    elif value and not isinstance(value, bool):
        yield from _smaller_number(value)
    size = len(canonical(value))
    yield from (each for each in _SIMPLER if len(canonical(each)) < size)


def _smaller_number(value: float) -> Sequence[Any]:
    candidates: list[Any] = [0, int(value / 2), int(value)] if abs(value) < 2**1000 else []
    return [each for each in candidates if abs(each) < abs(value)]


def _schema_at(schema: Schema, value: Any, path: Sequence[str | int]) -> Schema:
    """Return the schema that a document has for a part of a value; the last one on the way if there is none."""
    for each in path:
        part: dict[Any, Any] = value if is_object(value) else dict(enumerate(cast("list[Any]", value)))
        step = str(each) if is_object(value) else each  # jsonschema-rs writes keys of digits as numbers
        below = _below(schema, step) if step in part else None
        if below is None:
            return schema
        schema, value = below, part[step]
    return schema


def _below(schema: Schema, step: str | int, depth: int = 0) -> Schema | None:
    if depth > _DEEPEST:
        return None
    for constraint in schema.constraints:
        match constraint.name:
            case "property" if constraint.value == step:
                return constraint.schemas[0]
            case "items" if isinstance(step, int) and constraint.schemas:
                index = min(step, len(constraint.schemas) - 1)
                return constraint.schemas[index]
            case _:
                continue
    for constraint in schema.constraints:
        if constraint.name in ("ref", "allOf", "anyOf", "oneOf", "if", "dependentSchema"):
            for each in constraint.schemas:
                if (below := _below(each, step, depth + 1)) is not None:
                    return below
        elif constraint.name == "pattern property" and matches(str(constraint.value), str(step)):
            return constraint.schemas[0]
    named = [constraint for constraint in schema.constraints if constraint.name == "property"]
    others = [constraint for constraint in schema.constraints if constraint.name == "others"]
    return others[0].schemas[0] if others and all(each.value != step for each in named) else None
