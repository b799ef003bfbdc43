"""Tag patterns: they match like Python's regular expressions in linear time; unsupported ones are refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.spec.hostile_patterns import REFUSED, SLOW_ELSEWHERE
from toolgen.spec.tag_pattern import MAX_LENGTH, MAX_SIZE, Instruction, PatternRefused, TagPattern

ALPHABET = "ab 1-\u00e9"
ATOMS = [
    "a",
    "b",
    " ",
    "-",
    r"\-",
    r"\x61",
    r"\t",
    ".",
    "[ab]",
    "[^a]",
    r"[\]a-]",
    "[]b]",
    r"\w",
    r"\s",
    r"\D",
    "\u00e9",
]
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{,}"]


def sequences(part: st.SearchStrategy[str], *, least: int = 0) -> st.SearchStrategy[str]:
    return st.lists(part, min_size=least, max_size=3).map("".join)


def repeated(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{}{}{}".format, part, st.sampled_from(COUNTS), st.sampled_from(["", "?"]))


def choices(part: st.SearchStrategy[str], *, least: int) -> st.SearchStrategy[str]:
    return st.lists(sequences(part, least=least), min_size=1, max_size=3).map("|".join)


# Patterns that never match empty text and so can be repeated; then all without groups; then all.
SOLID = st.recursive(st.sampled_from(ATOMS), lambda inner: choices(inner, least=1).map("(?:{})".format), max_leaves=4)
PLAIN = SOLID | repeated(SOLID)
WITH_GROUPS = st.recursive(
    PLAIN,
    lambda inner: (
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["(", "(?:"]),
            choices(inner, least=0),
            st.just(")"),
        )
        | st.builds("({}{}){}".format, SOLID, sequences(inner), st.sampled_from(["?", "??"]))
    ),
    max_leaves=6,
)
PATTERNS = choices(WITH_GROUPS, least=0)


@given(PATTERNS, st.text(ALPHABET, max_size=8))
def test_a_pattern_matches_like_in_python(pattern: str, text: str) -> None:
    found = re.fullmatch(pattern, text)
    assert TagPattern.parse(pattern).match(text) == (None if found is None else found.groups(""))


@pytest.mark.parametrize(
    ("pattern", "text", "caught"),
    [
        (r"(factual|communication)\s+(.+)", "factual X is Y", ("factual", "X is Y")),
        (r"(factual|communication)\s+(.+)", "other X", None),
        (r"(.+)\s+(.+)", "a  b c", ("a  b", "c")),
        (r"(.+?)\s+(.+)", "a  b c", ("a", "b c")),
        (r"(.+?)(?:\s+surely)?\s+\((yes|no)\)", "it rains surely (yes)", ("it rains", "yes")),
        (r"(\d{1,3})%(?: of (\w+))?", "50%", ("50", "")),
        (r"(a|ab)(c|bcd)?", "abcd", ("a", "bcd")),
        (r"(x|a|ab)(.*)", "abc", ("a", "bc")),
        (r"(?P<word>\w+)!", "caf\u00e9!", ("caf\u00e9",)),
        ("(.*)", "", ("",)),
        ("(.+)", "two\nlines", None),
        ("now", "now", ()),
    ],
)
def test_captures_of_groups(pattern: str, text: str, caught: tuple[str, ...] | None) -> None:
    assert TagPattern.parse(pattern).match(text) == caught


def test_a_group_of_words_lists_them() -> None:
    pattern = TagPattern.parse(r"(factual|a\+b|(?:one|two))\s+(.+) (exact) (a|b+)")
    assert pattern.words == (("factual", "a+b", "one", "two"), (), ("exact",), ())


@pytest.mark.parametrize(("pattern", "reason"), REFUSED.items())
def test_an_invalid_tag_pattern_is_refused_with_a_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternRefused, match=f"^{re.escape(reason)}"):
        TagPattern.parse(pattern)


def test_the_length_and_size_of_a_pattern_are_limited() -> None:
    assert TagPattern.parse("a" * MAX_LENGTH).match("a" * MAX_LENGTH) == ()
    with pytest.raises(PatternRefused, match=f"has more than {MAX_LENGTH} characters"):
        TagPattern.parse("a" * (MAX_LENGTH + 1))
    large = ["a{333}", "a{0,333}", "a{333,}", "|".join(["ab"] * 500), "[ab]" * 1000, "(?:a)" * 90]
    for pattern in (*large, "(?:" * 20 + "a" + ")+" * 20):
        assert len(TagPattern.parse(pattern).program) <= MAX_SIZE + 1


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "unit"), SLOW_ELSEWHERE)
def test_each_instruction_is_executed_at_most_once_per_position(pattern: str, unit: str) -> None:
    line = unit * (2000 // len(unit)) + "\x00"
    read = TagPattern.parse(pattern)
    assert read.match(line) is None
    assert steps(read, line) <= len(read.program) * (len(line) + 1)


@given(PATTERNS, st.text(ALPHABET, max_size=12))
def test_each_instruction_is_executed_at_most_once_per_position_of_any_line(pattern: str, text: str) -> None:
    read = TagPattern.parse(pattern)
    assert steps(read, text) <= len(read.program) * (len(text) + 1)


class Counted(list[Instruction]):
    """A program that counts the executed instructions."""

    taken = 0

    def __getitem__(self, place: Any) -> Any:
        self.taken += 1
        return super().__getitem__(place)


def steps(pattern: TagPattern, text: str) -> int:
    """Return the number of instructions executed by matching."""
    program = Counted(pattern.program)
    replace(pattern, program=program).match(text)
    return program.taken
