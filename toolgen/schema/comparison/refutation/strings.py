"""Goals for strings: lengths, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

from toolgen.schema.comparison.patterns import matches, texts_of, without_lookaround
from toolgen.schema.comparison.refutation.goal import IMPOSSIBLE, Outcome

if TYPE_CHECKING:
    from toolgen.schema.comparison.refutation.branch import Branch

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
