"""Patterns: which texts they match, as jsonschema-rs decides, and texts that they match."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.schema.cost.bounds import Bounds
from toolgen.schema.cost.validator import compiled_validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jsonschema_rs import Validator

_ALWAYS: Final = frozenset({"", ".*", "^", "$", "^.*", ".*$", "(.*)", "^[\\s\\S]*$", "[\\s\\S]*"})
_LITERAL: Final = re.compile(r"(?:[A-Za-z0-9_ :,@#%&=~!<>;'\"-]|\\[.\-/+*?()\[\]{}|^$\\])*")
_MOST_TEXTS: Final = 12
_LONGEST: Final = 300


def always_matches(pattern: str) -> bool:
    """Return whether a pattern certainly matches all texts."""
    return pattern in _ALWAYS


@lru_cache(maxsize=1_000)
def _validator(pattern: str) -> Validator:
    schema = {"pattern": pattern}
    return compiled_validator(schema, Bounds(schema))


@lru_cache(maxsize=10_000)
def matches(pattern: str, text: str) -> bool:
    """Return whether the validator finds a pattern in a text."""
    return _validator(pattern).is_valid(text)


@lru_cache(maxsize=1_000)
def literals_of(pattern: str) -> tuple[str, ...] | None:
    """Return all texts that a pattern such as `^(a|b)$` matches; None if it is of another form."""
    if not (pattern.startswith("^") and pattern.endswith("$") and not pattern.endswith("\\$")):
        return None
    inner = pattern[1:-1]
    if "|" in inner:
        if not (inner.startswith("(") and inner.endswith(")")):
            return None
        inner = inner[1:-1].removeprefix("?:")
    alternatives = inner.split("|")
    if not all(_LITERAL.fullmatch(each) for each in alternatives):
        return None
    return tuple(dict.fromkeys(re.sub(r"\\(.)", r"\1", each) for each in alternatives))


@lru_cache(maxsize=1_000)
def texts_like(pattern: str, least: int, most: int | None) -> tuple[str, ...]:
    """Return some texts that a pattern probably matches, the shortest and longer ones."""
    try:
        parsed: Any = re._parser.parse(pattern)  # type: ignore[attr-defined]  # noqa: SLF001
    except (re.error, RecursionError, OverflowError):
        return ()
    found: dict[str, None] = {}
    for repeats in (0, 1, 3, max(least, 1), most or 1):
        for variant in range(3):
            text = "".join(islice(_text_of(parsed, min(repeats, _LONGEST), variant), _LONGEST))
            found[text] = None
    return tuple(found)[:_MOST_TEXTS]


def _text_of(parsed: Any, repeats: int, variant: int) -> Iterator[str]:
    """Yield the characters of a text; `variant` selects among alternatives. What cannot be generated is left out."""
    for operation, value in parsed:
        match str(operation):
            case "LITERAL":
                yield chr(value)
            case "NOT_LITERAL":
                yield "b" if chr(value) == "a" else "a"
            case "ANY":
                yield "a"
            case "IN":
                yield _one_in(value, variant)
            case "BRANCH":
                yield from _text_of(value[1][variant % len(value[1])], repeats, variant)
            case "SUBPATTERN":
                yield from _text_of(value[3], repeats, variant)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, inner = value
                for _ in range(max(least, min(int(most), repeats))):
                    yield from _text_of(inner, repeats, variant)
            case _:
                continue


_CATEGORIES: Final = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_DIGIT": "a",
                      "CATEGORY_NOT_SPACE": "a", "CATEGORY_NOT_WORD": "-"}  # fmt: skip


def _one_in(members: Sequence[Any], variant: int) -> str:
    if str(members[0][0]) == "NEGATE":
        accepted = {character for character in map(chr, range(32, 127)) if not _is_in(members[1:], character)}
        return next((each for each in "a0- ~" if each in accepted), min(accepted, default="é"))
    options = [_CATEGORIES.get(str(value), "a") if str(operation) == "CATEGORY" else chr(_first(value))
               for operation, value in members]  # fmt: skip
    return options[variant % len(options)]


def _first(value: Any) -> int:
    return value[0] if isinstance(value, tuple) else value  # type: ignore[no-any-return]


def _is_in(members: Sequence[Any], character: str) -> bool:
    for operation, value in members:
        if isinstance(value, tuple):
            if value[0] <= ord(character) <= value[1]:
                return True
        elif (str(operation) == "LITERAL" and value == ord(character)) or (
            str(operation) == "CATEGORY" and _CATEGORIES.get(str(value)) == character
        ):
            return True
    return False
