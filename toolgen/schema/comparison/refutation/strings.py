"""Goals for strings: lengths, patterns and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from toolgen.schema.comparison.refutation.goal import IMPOSSIBLE, Outcome
from toolgen.schema.comparison.refutation.literal_values import values_of
from toolgen.schema.comparison.refutation.patterns import always_matches, literals_of, matches, texts_like

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.schema.comparison.refutation.branch import Branch

_LONGEST: Final = 10_000
"""Maximum characters of a generated text."""

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
    patterns = [_text(fact.constraint.value) for fact in branch.of("pattern")]
    others = [_text(fact.constraint.value) for fact in branch.of("pattern", holds=False)]
    if any(map(always_matches, others)):
        return IMPOSSIBLE
    excluded = {value for fact in branch.of("values", holds=False) for value in values_of(fact.constraint)
                if isinstance(value, str)}  # fmt: skip

    def is_left(text: str) -> bool:
        if text in excluded or len(text) < least or (most is not None and len(text) > most):
            return False
        return all(matches(each, text) for each in patterns) and not any(matches(each, text) for each in others)

    literals = next((found for found in map(literals_of, patterns) if found is not None), None)
    if literals is not None or most == 0:
        left = [text for text in literals or [""] if is_left(text)]
        return Outcome(is_impossible=not left, values=left[:8])
    formats = [_FORMATS.get(_format(fact.constraint.value), "") for fact in branch.of("format")]
    tried = dict.fromkeys(_tried(least, most, patterns, others, [text for text in formats if text]))
    return Outcome(is_impossible=False, values=[text for text in tried if is_left(text)][:8])


def size_bounds(branch: Branch, low: str, high: str) -> tuple[int, int | None]:
    """Return the least and the most size that facts allow; a bound that fails is one on the other side."""
    lows = [_size(fact.constraint.value) for fact in branch.of(low)]
    lows += [_size(fact.constraint.value) + 1 for fact in branch.of(high, holds=False)]
    highs = [_size(fact.constraint.value) for fact in branch.of(high)]
    highs += [_size(fact.constraint.value) - 1 for fact in branch.of(low, holds=False)]
    return max(lows, default=0), min(highs, default=None)


def _tried(
    least: int, most: int | None, patterns: Sequence[str], others: Sequence[str], formats: Sequence[str]
) -> Iterator[str]:
    sizes = [size for size in (least, least + 1, most) if size is not None and size <= _LONGEST]
    yield from formats
    for pattern in patterns:
        for text in texts_like(pattern, least, most):
            yield text
            yield from (text + more for more in ("a", "0", "!"))
            yield from (more + text for more in ("a", "0", "!"))
    for size in sizes:
        yield from (character * size for character in "a0A-_ .!é")
    yield from ("text", "-1", "~", "\n")
    for pattern in others:
        for text in texts_like(pattern, least, most):
            yield from (text[1:], text[:-1], f"!{text}", f"{text}!", f"{text}\n", text.swapcase())


def _text(value: object) -> str:
    return cast("str", value)


def _size(value: object) -> int:
    return cast("int", value)


def _format(value: object) -> str:
    return cast("tuple[bytes, str]", value)[0].decode().strip('"')
