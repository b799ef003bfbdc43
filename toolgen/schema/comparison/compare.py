"""Comparison of two schemas: which values become valid, and which stop being so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.contradiction import Contradiction
from toolgen.schema.comparison.equivalence import TooManyError, colour
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.comparison.reading import Document
from toolgen.schema.comparison.refutation.branch import BudgetError
from toolgen.schema.comparison.refutation.goal import Claim
from toolgen.schema.comparison.refutation.solver import Solver
from toolgen.schema.comparison.refutation.validators import Validators
from toolgen.schema.cost.bounds import MAX_NESTING
from toolgen.schema.json_values import canonical, is_object
from toolgen.schema.subschemas import is_deeper

if TYPE_CHECKING:
    from toolgen.schema.comparison.refutation.goal import Spot


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

MOST_STEPS: Final = 20_000
"""Steps of a comparison in one direction; each takes some 10 µs."""

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
            steps=MOST_STEPS,
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
