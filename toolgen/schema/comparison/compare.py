"""Comparison of two schemas: which values become valid, and which stop being so; what shows it, and what is equal."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.schema.bounds import MAX_NESTING
from toolgen.schema.comparison.goal import BudgetError, Claim
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.comparison.patterns import matches
from toolgen.schema.comparison.reading import Document
from toolgen.schema.comparison.solver import Solver
from toolgen.schema.comparison.validators import Validators
from toolgen.schema.graph import components
from toolgen.schema.json_values import canonical, is_array, is_object
from toolgen.schema.keywords import ASSERTIONS, is_deeper
from toolgen.schema.references import pointer_of

if TYPE_CHECKING:
    from toolgen.schema.comparison.goal import Spot
    from toolgen.schema.comparison.reading import Schema


# Contradictions: checking, shrinking and locating values that one document accepts and another rejects.

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


# Colours of schemas: schemas of one colour accept the same values.
#
# Schemas have the same colour if their constraints are equal and their subschemas have the same colours. Names of
# definitions, order and annotations have no effect, and recursive schemas are equal if they unfold to the same.

MOST_SIGNATURES: Final = 200_000
"""Signatures that are computed, each in some 3 µs; recursive schemas need one for each level of references."""


class TooManyError(ValueError):
    """Schemas have too many parts to be compared."""


def colour(roots: Iterable[Schema], *, most: int) -> None:
    """Colour schemas and all that they refer to. Raises `TooManyError` for more than `most` schemas."""
    schemas = _reached(roots, most)
    numbers: dict[Hashable, int] = {}
    recursive: list[Schema] = []
    for group in components(schemas, lambda key: map(id, _parts_below(schemas[key]))):
        schema = schemas[group[0]]
        below = list(_parts_below(schema))
        if len(group) > 1 or any(each.colour < 0 for each in below):
            recursive += [schemas[key] for key in group]
        else:
            schema.colour = numbers.setdefault(_signature(schema), len(numbers))
    _refine(recursive, len(numbers))


def _refine(schemas: Sequence[Schema], first: int) -> None:
    """Colour schemas that refer to themselves, or lead to such: apart only as far as their parts are."""
    for schema in schemas:
        schema.colour = first
    classes, computed = min(len(schemas), 1), 0
    while True:
        computed += len(schemas)
        if computed > MOST_SIGNATURES:
            raise TooManyError(f"more than {MOST_SIGNATURES} signatures")
        signatures = [_signature(schema) for schema in schemas]
        numbers: dict[Hashable, int] = {}
        for schema, signature in zip(schemas, signatures, strict=True):
            schema.colour = first + numbers.setdefault(signature, len(numbers))
        if len(numbers) == classes:
            return
        classes = len(numbers)


def _reached(roots: Iterable[Schema], most: int) -> dict[int, Schema]:
    """Return schemas and all that they refer to, by their `id`."""
    found: dict[int, Schema] = {}
    waiting = list(roots)
    while waiting:
        schema = waiting.pop()
        if id(schema) in found:
            continue
        found[id(schema)] = schema
        if len(found) > most:
            raise TooManyError(f"more than {most} schemas")
        waiting += _parts_below(schema)
    return found


def _parts_below(schema: Schema) -> Iterator[Schema]:
    return (below for each in schema.constraints for below in each.schemas)


def _signature(schema: Schema) -> Hashable:
    return frozenset(each.key for each in schema.behind().constraints)


# Results of a comparison of two schemas: for each direction a verdict, and what shows it.


class Verdict(StrEnum):
    """Whether there are values that one schema accepts and the other rejects."""

    NONE = "none"
    """There are certainly none."""
    FOUND = "found"
    """There is at least one: a counterexample was found, and checked with the validator."""
    UNDECIDED = "undecided"
    """Neither was shown."""


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """A part of both schemas, by JSON pointers, and the keyword that matters there; empty if it is no single one."""

    before: str
    after: str
    keyword: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A value that one schema accepts and the other rejects.

    `pointer` leads to the part of the value that is rejected; `place` to the keyword that rejects it, and to the part
    of the other schema that accepts it. `is_given` tells whether it was among the given instances.
    """

    value: Any
    pointer: str
    place: SchemaPlace
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a comparison. `undecided` has the places that could not be decided, of `UNDECIDED` only."""

    verdict: Verdict
    counterexample: Counterexample | None = None
    undecided: tuple[SchemaPlace, ...] = ()


class SchemaChange(StrEnum):
    """How the values that a new schema accepts relate to those of an old one."""

    SAME = "same"
    MORE = "more"
    FEWER = "fewer"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Comparison:
    """`lost` are the values that were valid before and are not after, `gained` those that became valid."""

    lost: Direction
    gained: Direction

    @property
    def change(self) -> SchemaChange:
        """The change of accepted values, as far as it is certain: `MORE` if none is lost and some may be gained."""
        match self.lost.verdict, self.gained.verdict:
            case Verdict.NONE, Verdict.NONE:
                return SchemaChange.SAME
            case Verdict.NONE, _:
                return SchemaChange.MORE
            case _, Verdict.NONE:
                return SchemaChange.FEWER
            case _:
                return SchemaChange.OTHER


MOST_SCHEMAS: Final = 20_000
"""Schemas in both documents together that are compared."""

_NONE: Final = Direction(Verdict.NONE)
_UNDECIDED: Final = Direction(Verdict.UNDECIDED, undecided=(SchemaPlace("", ""),))


def compare(
    before: Any,
    after: Any,
    *,
    formats_before: bool = False,
    formats_after: bool = False,
    instances: Iterable[Any] = (),
    search: bool = True,
) -> Comparison:
    """Compare two schemas, each in the draft of its `$schema`, 2020-12 without one.

    `formats_before` and `formats_after` tell whether `format` is asserted: `formats = "assert"` of a target.
    Counterexamples are searched among the given `instances` (JSON values), and, with `search`, among generated ones.
    The verdict NONE is certain, for values that the runtime takes the time to validate. Schemas that cannot be
    compiled are undecided, unless they are equal.
    """
    if is_deeper(before, MAX_NESTING) or is_deeper(after, MAX_NESTING):
        return Comparison(_UNDECIDED, _UNDECIDED)
    if formats_before == formats_after and canonical(before) == canonical(after):
        return Comparison(_NONE, _NONE)
    old = Document(before, asserts_formats=formats_before)
    new = Document(after, asserts_formats=formats_after)
    try:
        colour([old.root, new.root], most=MOST_SCHEMAS)
    except TooManyError:
        return Comparison(_UNDECIDED, _UNDECIDED)
    if old.root.colour == new.root.colour:
        return Comparison(_NONE, _NONE)
    validators = Validators(old, new)
    if not (validators.of(old).is_usable and validators.of(new).is_usable):
        return Comparison(_NONE, _NONE) if _have_same_form(before, after) else Comparison(_UNDECIDED, _UNDECIDED)
    given = list(instances)
    lost = _Search(old, new, validators, given, search=search, is_lost=True)
    gained = _Search(new, old, validators, given, search=search, is_lost=False)
    return Comparison(lost.direction(), gained.direction())


def _have_same_form(before: Any, after: Any) -> bool:
    """Return whether two schemas that cannot be compiled differ in nothing that could matter."""
    drafts = [each.get("$schema") if is_object(each) else None for each in (before, after)]
    try:
        return drafts[0] == drafts[1] and canonical(normal_form(before)) == canonical(normal_form(after))
    except (TooLargeError, RecursionError):
        return False


class _Search:
    """One direction: a proof that `holding` accepts nothing that `failing` rejects, or a value that it does accept."""

    def __init__(
        self, holding: Document, failing: Document, validators: Validators, given: Sequence[Any], *, search: bool,
        is_lost: bool,
    ) -> None:  # fmt: skip
        self._holding, self._failing, self._validators = holding, failing, validators
        self._contradiction = Contradiction(holding, failing, validators)
        self._given = given
        self._search = search
        self._is_lost = is_lost

    def direction(self) -> Direction:
        """Return the verdict."""
        shown = [value for value in self._given if self._contradiction.is_shown_by(value)]
        if shown:
            return self._found(min(shown, key=lambda value: len(canonical(value))), is_given=True)
        solver = Solver(
            has_draft_04="draft-04" in (self._holding.draft, self._failing.draft),
            validators=self._validators,
            wants_values=self._search,
        )
        goal = [Claim(self._holding.root, True), Claim(self._failing.root, False)]
        try:
            outcome = solver.solve_here(goal, solver.kinds, self._contradiction.is_shown_by)
        except (BudgetError, RecursionError):
            return _UNDECIDED
        if outcome.is_impossible:
            return _NONE
        if outcome.values:
            return self._found(self._contradiction.shrunk(outcome.values[0]))
        return Direction(Verdict.UNDECIDED, undecided=tuple(map(self._place, outcome.spots)))

    def _found(self, value: Any, *, is_given: bool = False) -> Direction:
        pointer, holds, fails, keyword = self._contradiction.place_of(value)
        place = SchemaPlace(holds, fails, keyword) if self._is_lost else SchemaPlace(fails, holds, keyword)
        return Direction(Verdict.FOUND, Counterexample(value=value, pointer=pointer, place=place, is_given=is_given))

    def _place(self, spot: Spot) -> SchemaPlace:
        both = (spot.holds, spot.fails) if self._is_lost else (spot.fails, spot.holds)
        return SchemaPlace(*both, spot.keyword)
