"""Comparison of two schemas: which values become valid, and which stop being so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.comparison.containment import is_contained
from toolgen.schema.comparison.normal_form import TooLargeError, normal_form
from toolgen.schema.comparison.verdict import Comparison, Direction, Place, Verdict
from toolgen.schema.comparison.well_formed import is_well_formed
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

_NONE: Final = Direction(Verdict.NONE)
_UNDECIDED: Final = Direction(Verdict.UNDECIDED, undecided=(Place("", ""),))


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
    With `search`, counterexamples are searched, among the given `instances` (JSON values) and generated ones.
    The verdict NONE is certain.
    """
    try:
        old, new = normal_form(before), normal_form(after)
    except (TooLargeError, RecursionError):
        return Comparison(_UNDECIDED, _UNDECIDED)
    if canonical(old) == canonical(new):
        return Comparison(_NONE, _NONE)
    if not (is_well_formed(old) and is_well_formed(new)):
        return Comparison(_UNDECIDED, _UNDECIDED)
    lost = _NONE if is_contained(old, new) else _UNDECIDED
    gained = _NONE if is_contained(new, old) else _UNDECIDED
    return Comparison(lost, gained)
