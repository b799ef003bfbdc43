"""Goals for numbers and strings: bounds and multiples; lengths, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, inf, isfinite, lcm
from typing import TYPE_CHECKING, Final, cast

from toolgen.schema.comparison.goal import IMPOSSIBLE, Outcome
from toolgen.schema.comparison.patterns import matches, texts_of, without_lookaround
from toolgen.schema.comparison.reading import FRACTION, INTEGER

if TYPE_CHECKING:
    from toolgen.schema.comparison.goal import Branch, Literals


# Goals for numbers: bounds, and multiples.

Number = int | float
_FEW: Final = 256
"""Numbers that are tried one by one."""

_TOO_LONG: Final = 10**4300
"""Python writes integers up to this. Multiples of what a schema may have can be longer."""

_FRACTIONS: Final = 2**53
"""From here on, every float is whole, and an integer may be beyond all floats."""


def solve_number(branch: Branch) -> Outcome:
    """Solve a goal for a number."""
    multiples = [_number(fact.constraint.value) for fact in branch.of("multipleOf")]
    others = [_number(fact.constraint.value) for fact in branch.of("multipleOf", holds=False)]
    if any(_is_multiple(one, other) for one in multiples for other in others):
        return IMPOSSIBLE
    low, high = _Bound.of(branch, "minimum"), _Bound.of(branch, "maximum")
    excluded = branch.excluded()
    if branch.kind == FRACTION:
        return _fraction(low, high, multiples, excluded)
    if any(_is_multiple(1, other) for other in others):
        return IMPOSSIBLE
    return _whole(branch.kind, low, high, [int(each) for each in multiples if _is_whole(each)], others, excluded)


class _Bound:
    """The strictest of some bounds."""

    def __init__(self, value: Number, *, is_exclusive: bool) -> None:
        self.value = value
        self.is_exclusive = is_exclusive

    @classmethod
    def of(cls, branch: Branch, name: str) -> _Bound:
        """Return the lowest (`minimum`) or highest (`maximum`) value; a bound that fails is one on the other side."""
        is_low = name == "minimum"
        found = cls(-inf if is_low else inf, is_exclusive=True)
        for fact in branch.of(name):
            found = found.stricter(*_bound(fact.constraint.value), is_low=is_low)
        for fact in branch.of("maximum" if is_low else "minimum", holds=False):
            value, is_exclusive = _bound(fact.constraint.value)
            found = found.stricter(value, not is_exclusive, is_low=is_low)
        return found

    def stricter(self, value: Number, is_exclusive: bool, *, is_low: bool) -> _Bound:
        """Return the stricter of this bound and another."""
        if value == self.value:
            return _Bound(value, is_exclusive=is_exclusive or self.is_exclusive)
        return _Bound(value, is_exclusive=is_exclusive) if (value > self.value) is is_low else self


def _whole(
    kind: str, low: _Bound, high: _Bound, multiples: Sequence[int], others: Sequence[Number], excluded: Literals
) -> Outcome:
    step = lcm(*multiples) if multiples else 1
    first, last = _whole_bound(low, is_low=True), _whole_bound(high, is_low=False)
    if first is not None:
        first = -(-first // step) * step
    if last is not None:
        last = last // step * step
    if first is not None and last is not None and first > last:
        return IMPOSSIBLE
    whole_others = [int(each) for each in others if _is_whole(each)]

    def is_left(value: int) -> bool:
        return value not in excluded and all(value % each for each in whole_others)

    is_small = first is not None and last is not None and (last - first) // step < _FEW
    tried = [value for value in _tried(first, last, step, excluded, all_=is_small) if is_left(value)]
    if is_small and not tried:
        return IMPOSSIBLE
    values = _ordered(tried)[:8]
    return Outcome(is_impossible=False, values=values if kind == INTEGER else list(_floats(values)))


def _tried(first: int | None, last: int | None, step: int, excluded: Literals, *, all_: bool) -> Iterator[int]:
    """Return whole numbers between two bounds: all, or those at the bounds, near zero, and beside what is excluded."""
    if all_ and first is not None and last is not None:
        yield from range(first, last + 1, step)
        return
    near: list[int] = [0, step, -step, 7 * step, 101 * step]
    for bound, direction in ((first, step), (last, -step)):
        if bound is not None:
            near += [bound + direction * each for each in range(_FEW // 32)]
    for each in excluded.values[:_FEW]:
        if isinstance(each, int) and not isinstance(each, bool):
            near += [(each // step + offset) * step for offset in (-1, 1, 2)]
    yield from (
        value for value in dict.fromkeys(near)
        if (first is None or value >= first) and (last is None or value <= last) and abs(value) < _TOO_LONG
    )  # fmt: skip


def _whole_bound(bound: _Bound, *, is_low: bool) -> int | None:
    if bound.value in (inf, -inf):
        return None
    if is_low:
        rounded = ceil(bound.value)
        return rounded + 1 if rounded == bound.value and bound.is_exclusive else rounded
    rounded = floor(bound.value)
    return rounded - 1 if rounded == bound.value and bound.is_exclusive else rounded


def _fraction(low: _Bound, high: _Bound, multiples: Sequence[Number], excluded: Literals) -> Outcome:
    if low.value > high.value or (low.value == high.value and (low.is_exclusive or high.is_exclusive)):
        return IMPOSSIBLE
    if any(_is_whole(each) for each in multiples) or (low.value == high.value and _is_whole(low.value)):
        return IMPOSSIBLE
    if low.value == high.value and low.value in excluded:
        return IMPOSSIBLE
    tried = [0.5, 1.5, -0.5, -1.5, 0.25, 1e-3]
    for step in multiples:
        tried = [step * each for each in (1, 3, 7, -1, -3)] + tried
    ends = [bound.value for bound in (low, high) if abs(bound.value) <= _FRACTIONS]
    tried += [end + offset for end in ends for offset in (0, 0.5, -0.5, 0.001, -0.001, 1e-6, -1e-6)]
    for step in multiples:
        tried += [(end // step + offset) * step for end in ends for offset in (0, 1, -1)]
    if len(ends) == 2:
        tried.append(ends[0] / 2 + ends[1] / 2)
    values = [
        value
        for value in dict.fromkeys(_floats(tried))
        if not value.is_integer() and _is_inside(value, low, high) and value not in excluded
    ]
    return Outcome(is_impossible=False, values=values[:8])


def _floats(values: Iterable[Number]) -> Iterator[float]:
    """Return numbers as floats, without those that none is close to."""
    for value in values:
        try:
            number = float(value)
        except OverflowError:
            continue
        if isfinite(number):
            yield number


def _is_inside(value: float, low: _Bound, high: _Bound) -> bool:
    is_above = value > low.value or (value == low.value and not low.is_exclusive)
    return is_above and (value < high.value or (value == high.value and not high.is_exclusive))


def _is_multiple(value: Number, of: Number) -> bool:
    return Fraction(str(value)) % Fraction(str(of)) == 0


def _is_whole(value: Number) -> bool:
    return value == int(value)


def _number(value: object) -> Number:
    return cast("Number", value)


def _bound(value: object) -> tuple[Number, bool]:
    return cast("tuple[Number, bool]", value)


def _ordered(values: Sequence[int]) -> list[int]:
    return sorted(values, key=lambda value: (abs(value), value < 0))


_LONGEST: Final = 10_000
"""Maximum characters of a generated text."""

_MOST_EXCLUDED: Final = 50
"""Texts that are excluded exactly; others may seem possible."""

_FORMATS: Final = {
    "date": "2024-02-29", "date-time": "2024-02-29T12:00:00Z", "time": "12:00:00Z", "duration": "P1D",
    "email": "a@b.co", "idn-email": "a@b.co", "hostname": "a.b", "idn-hostname": "a.b", "ipv4": "127.0.0.1",
    "ipv6": "::1", "uri": "https://a.b/c", "uri-reference": "a/b", "iri": "https://a.b/c", "iri-reference": "a/b",
    "uuid": "123e4567-e89b-42d3-a456-426614174000", "uri-template": "/a/{b}", "json-pointer": "/a",
    "relative-json-pointer": "0/a", "regex": "^a$",
}  # fmt: skip
"""A text of each format."""


def solve_string(branch: Branch) -> Outcome:
    """Solve a goal for a string."""
    least, most = size_bounds(branch, "minLength", "maxLength")
    if most is not None and least > most:
        return IMPOSSIBLE
    patterns = [_as_str(fact.constraint.value) for fact in branch.of("pattern")]
    others = [_as_str(fact.constraint.value) for fact in branch.of("pattern", holds=False)]
    excluded = {value for value in branch.excluded().values if isinstance(value, str)}

    def is_left(text: str) -> bool:
        if text in excluded or len(text) < least or (most is not None and len(text) > most):
            return False
        return all(matches(each, text) for each in patterns) and not any(matches(each, text) for each in others)

    tried = [_FORMATS.get(_format(fact.constraint.value), "") for fact in branch.of("format")]
    tried += [] if patterns or others else _of_size(least, most)
    left = [text for text in dict.fromkeys(tried) if is_left(text)]
    for avoided in ((), tuple(sorted(excluded)[:_MOST_EXCLUDED])):  # most goals need not avoid these
        if left:
            break
        found = texts_of(tuple(patterns), tuple(others), avoided, least=least, most=most)
        if found.is_none:
            return IMPOSSIBLE
        similar = texts_of(tuple(map(without_lookaround, patterns)), tuple(others), avoided, least=least, most=most)
        left = [text for text in (*found.texts, *similar.texts) if is_left(text)]
    return Outcome(is_impossible=False, values=left[:8])


def size_bounds(branch: Branch, low: str, high: str) -> tuple[int, int | None]:
    """Return the least and the most size that facts allow; a bound that fails is one on the other side."""
    lows = [_size(fact.constraint.value) for fact in branch.of(low)]
    lows += [_size(fact.constraint.value) + 1 for fact in branch.of(high, holds=False)]
    highs = [_size(fact.constraint.value) for fact in branch.of(high)]
    highs += [_size(fact.constraint.value) - 1 for fact in branch.of(low, holds=False)]
    return max(lows, default=0), min(highs, default=None)


def _of_size(least: int, most: int | None) -> Iterator[str]:
    for size in (least, least + 1, most):
        if size is not None and size <= _LONGEST:
            yield from (character * size for character in "a0A-_ .!é\n")
    yield from ("text", "-1", "~")


def _as_str(value: object) -> str:
    return cast("str", value)


def _size(value: object) -> int:
    return cast("int", value)


def _format(value: object) -> str:
    return cast("tuple[bytes, str]", value)[0].decode().strip('"')
