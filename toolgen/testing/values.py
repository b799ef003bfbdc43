"""Made values: a value that a JSON Schema accepts, the same for the same seed.

A value is made along the constraints of a schema, as far as these are the common ones. Every other part is left to the
solver of comparisons, which also finds the smallest value of a recursive schema. The validator decides about the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from toolgen.schema.bounds import MAX_NESTING
from toolgen.schema.comparison.compare import MOST_SCHEMAS, TooManyError, colour
from toolgen.schema.comparison.goal import BudgetError, Claim, values_of
from toolgen.schema.comparison.reading import ARRAY, BOOLEAN, NULL, NUMBERS, OBJECT, STRING, Constraint, Document
from toolgen.schema.comparison.solver import Solver
from toolgen.schema.comparison.validators import Validators
from toolgen.schema.json_values import has_more_parts
from toolgen.schema.keywords import is_deeper

if TYPE_CHECKING:
    from toolgen.schema.comparison.reading import Schema

_MOST_PARTS: Final = 500
"""Parts of one value that are made along the schema; one with more is left to the solver."""

_MOST_VALUES: Final = 100_000
"""JSON values of a value that is validated."""

_DEEPEST: Final = 4
"""Levels of a value that have more than they must."""

_LONGEST: Final = 100_000
"""Maximum characters of a text that is made along the schema."""

_MOST_ITEMS: Final = 300
"""Maximum items of an array that is made along the schema."""

_COMMON: Final = frozenset(
    {"type", "values", "ref", "property", "required", "others", "items", "minItems", "maxItems", "anyOf", "oneOf"}
    | {"minimum", "maximum", "minLength", "maxLength", "format"}
)
"""Constraints that values are made along."""

_OPTIONAL: Final = 0.5
"""The share of optional fields that an object has."""

_KINDS: Final = ((OBJECT,), (ARRAY,), (STRING,), tuple(NUMBERS), (BOOLEAN,), (NULL,))
"""Kinds of values, the most telling first."""


class NoValue(Exception):
    """No value of a schema was found within the bounds. The message says why, and quotes nothing of the schema."""


class MadeValues:
    """Makes values of one schema. `is_valid` is the validator whose verdict counts."""

    def __init__(self, schema: Any, is_valid: Callable[[Any], bool]) -> None:
        self._schema = schema
        self._is_valid = is_valid
        self._documents: list[Document] | None = None

    def value(self, seed: str) -> Any:
        """Return a value, the same for the same seed. Raises `NoValue`."""
        for document in self._usable():
            for make in (_Making.along, _Making.solved):
                try:
                    value = make(_Making(document, seed), document.root)
                except (BudgetError, RecursionError, _NotMade):
                    continue
                if not has_more_parts(value, _MOST_VALUES) and self._is_valid(value):
                    return value
        raise NoValue("no value of its schema was found within the bounds, or the schema accepts none")

    def _usable(self) -> Sequence[Document]:
        """Return the schema as documents that can be solved: with formats, and without those that no text has."""
        if self._documents is None:
            self._documents = []
            if not is_deeper(self._schema, MAX_NESTING):
                self._documents = [Document(self._schema, asserts_formats=asserts) for asserts in (True, False)]
            for document in self._documents:
                try:
                    colour([document.root], most=MOST_SCHEMAS)
                except TooManyError:
                    raise NoValue(f"its schema has more than {MOST_SCHEMAS:,} parts") from None
        return self._documents


class _NotMade(Exception):
    """A part of a schema has no value along its constraints."""


class _Making:
    """One value that is being made."""

    def __init__(self, document: Document, seed: str) -> None:
        self._random = Random(seed)  # noqa: S311  # values must be the same for the same seed
        self._validators = Validators(document)
        self._solver = Solver(
            has_draft_04=document.draft == "draft-04",
            validators=self._validators,
            wants_values=True,
        )
        self._left = _MOST_PARTS

    def solved(self, schema: Schema) -> Any:
        """Return one of the values that the solver finds first. Raises `BudgetError` and `_NotMade`."""
        goal = [Claim(schema, True)]
        found = self._solver.solve_here(goal, self._solver.kinds).values
        fitting = [value for value in found if self._fits(schema, value)]
        if not fitting:
            fitting = self._solver.solve_here(goal, self._solver.kinds, lambda value: self._fits(schema, value)).values
        if not fitting:
            raise _NotMade
        return self._random.choice(fitting)

    def along(self, schema: Schema, name: str = "text", depth: int = 0) -> Any:
        """Return a value made along the constraints of a schema. `name` is that of the field that has it."""
        self._left -= 1
        if self._left < 0:
            raise BudgetError
        schema = schema.behind()
        by_name: dict[str, list[Constraint]] = {}
        for each in schema.constraints:
            by_name.setdefault(each.name, []).append(each)
        if depth > 2 * _DEEPEST or not by_name.keys() <= _COMMON or _is_combined(by_name):
            return self.solved(schema)
        if "values" in by_name:
            return self._checked(schema, self._random.choice(values_of(by_name["values"][0])))
        for keyword in ("anyOf", "oneOf"):
            if keyword in by_name:
                return self._alternative(schema, by_name[keyword][0].schemas, name, depth)
        return self._of_kind(schema, by_name, name, depth)

    def _of_kind(self, schema: Schema, by_name: dict[str, list[Constraint]], name: str, depth: int) -> Any:
        types = by_name.get("type")
        if types is None and not by_name:
            return self._text(by_name, name)
        allowed = cast("frozenset[str]", types[0].value) if types else frozenset({_implied(by_name)})
        kinds = next((kinds for kinds in _KINDS if allowed & {*kinds}), None)
        if kinds is None:
            raise _NotMade
        match kinds[0]:
            case kind if kind == OBJECT:
                return self._object(by_name, depth)
            case kind if kind == ARRAY:
                return self._checked(schema, self._array(by_name, name, depth))
            case kind if kind == STRING:
                return self._checked(schema, self._text(by_name, name))
            case kind if kind == BOOLEAN:
                return self._random.random() < 0.5
            case kind if kind == NULL:
                return None
            case _:
                return self._checked(schema, self._number(by_name))

    def _alternative(self, schema: Schema, alternatives: Sequence[Schema], name: str, depth: int) -> Any:
        if depth >= _DEEPEST:
            return self.solved(schema)
        for each in self._random.sample(alternatives, len(alternatives)):
            try:
                value = self.along(each, name, depth + 1)
            except _NotMade:
                continue
            if value is not None and self._fits(schema, value):
                return value
        return self.solved(schema)

    def _object(self, by_name: dict[str, list[Constraint]], depth: int) -> dict[str, Any]:
        fields = {cast("str", each.value): each.schemas[0] for each in by_name.get("property", ())}
        required = dict.fromkeys(cast("str", each.value) for each in by_name.get("required", ()))
        others = by_name["others"][0].schemas[0] if "others" in by_name else None
        made: dict[str, Any] = {}
        for name in dict.fromkeys((*fields, *required)):
            if name not in required and (depth >= _DEEPEST or self._random.random() >= _OPTIONAL):
                continue
            try:
                made[name] = self._field(fields.get(name, others), name, depth)
            except _NotMade:
                if name in required:
                    raise
        return made

    def _field(self, schema: Schema | None, name: str, depth: int) -> Any:
        return name if schema is None else self.along(schema, name, depth + 1)

    def _array(self, by_name: dict[str, list[Constraint]], name: str, depth: int) -> list[Any]:
        least, most = _size(by_name, "minItems", 0), _size(by_name, "maxItems", _MOST_ITEMS)
        wanted = max(least, self._random.randint(1, 3)) if depth < _DEEPEST else least
        items = by_name["items"][0] if "items" in by_name else None
        count, has_rest = cast("tuple[int, bool]", items.value) if items is not None else (0, False)
        made: list[Any] = []
        for index in range(min(wanted, most, _MOST_ITEMS)):
            schema = None
            if items is not None and (index < count or has_rest):
                schema = items.schemas[min(index, len(items.schemas) - 1)]
            try:
                made.append(self._field(schema, name, depth))
            except _NotMade:
                break  # no item fits here, so the array ends before it
        return made

    def _text(self, by_name: dict[str, list[Constraint]], name: str) -> str:
        number = self._random.randint(1, 999)
        if "format" in by_name:
            word = cast("tuple[bytes, str]", by_name["format"][0].value)[0].decode().strip('"')
            return self._formatted(word, number)
        least, most = _size(by_name, "minLength", 0), _size(by_name, "maxLength", _LONGEST)
        text = f"{name} {number}"
        if most < len(text):
            text = str(number)[:most]
        return text.ljust(min(least, _LONGEST), "x")

    def _formatted(self, word: str, number: int) -> str:
        day = datetime(2024, 1, 1, 12, tzinfo=UTC) + timedelta(days=number)
        match word:
            case "date":
                return day.date().isoformat()
            case "date-time":
                return f"{day.date().isoformat()}T12:00:00Z"
            case "uuid":
                return str(UUID(int=self._random.getrandbits(128), version=4))
            case "email":
                return f"user{number}@example.com"
            case "uri" | "iri":
                return f"https://example.com/{number}"
            case "hostname":
                return f"host{number}.example.com"
            case "ipv4":
                return f"192.0.2.{number % 255}"
            case _:
                return ""  # the solver knows a text

    def _number(self, by_name: dict[str, list[Constraint]]) -> int:
        low, high = (_bounds(by_name, keyword) for keyword in ("minimum", "maximum"))
        first = -(-max(low) // 1) if low else None
        last = min(high) // 1 if high else None
        if first is None:
            first = 1 if last is None or last >= 1 else last - 100
        if last is None:
            last = first + 100
        start, end = int(first), int(last)
        return start if start > end else self._random.randint(start, min(end, start + 1_000))

    def _checked(self, schema: Schema, value: Any) -> Any:
        return value if self._fits(schema, value) else self.solved(schema)

    def _fits(self, schema: Schema, value: Any) -> bool:
        validators = self._validators.of(schema.document)
        return (
            not has_more_parts(value, _MOST_VALUES)
            and validators.is_usable
            and validators.is_checkable(value)
            and validators.is_valid(schema, value)
        )


def _is_combined(by_name: dict[str, list[Constraint]]) -> bool:
    """Whether alternatives, or a reference, stand beside something else that the value must fit."""
    return ("ref" in by_name or "anyOf" in by_name or "oneOf" in by_name) and (
        len(by_name) > 1 or any(len(each) > 1 for each in by_name.values())
    )


def _implied(by_name: dict[str, list[Constraint]]) -> str:
    """Return the kind of value that constraints without a type are about."""
    if not by_name.keys().isdisjoint(("property", "required", "others")):
        return OBJECT
    if not by_name.keys().isdisjoint(("items", "minItems", "maxItems")):
        return ARRAY
    return STRING if by_name.keys().isdisjoint(("minimum", "maximum")) else next(iter(NUMBERS))


def _size(by_name: dict[str, list[Constraint]], keyword: str, default: int) -> int:
    return cast("int", by_name[keyword][0].value) if keyword in by_name else default


def _bounds(by_name: dict[str, list[Constraint]], keyword: str) -> list[float]:
    return [cast("tuple[float, bool]", each.value)[0] for each in by_name.get(keyword, ())]
