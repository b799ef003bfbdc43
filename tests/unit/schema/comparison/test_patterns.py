"""Automata of patterns accept the texts that the validator accepts."""

from __future__ import annotations

from random import Random

import pytest

from toolgen.schema.comparison.patterns import Automaton, automaton_of, matches, texts_of

ATOMS = ["a", "b", "0", r"\d", r"\w", r"\s", ".", "[a-b]", "[^a]", r"[\w-]", r"\.", "-", r"[^\s]", r"[\d.]", "é",
         r"\x41", r"\n", "^", "$", "[0-9a-f]", r"\W", "(?=a)", "(?!a)", r"\b"]  # fmt: skip
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}", "*?"]
CHARACTERS = "ab0A-_ \n\r.é$^\u2003"


def random_pattern(random: Random, depth: int) -> str:
    choice = random.random()
    if depth == 0 or choice < 0.35:
        return random.choice(ATOMS)
    inner = [random_pattern(random, depth - 1) for _ in range(2)]
    if choice < 0.6:
        return "".join(inner)
    if choice < 0.8:
        return random.choice(["(?:{}|{})", "{}|{}"]).format(*inner)
    return f"({inner[0]}){random.choice(REPEATS)}"


def is_usable(pattern: str) -> bool:
    try:
        matches(pattern, "")
    except ValueError:
        return False
    return True


def accepts(automaton: Automaton, text: str) -> bool:
    states = automaton.closure(frozenset({automaton.start}), at_start=True, at_end=False)
    for character in text:
        read = {
            target
            for state in states
            for ranges, target in automaton.transitions[state]
            if any(low <= ord(character) <= high for low, high in ranges)
        }
        states = automaton.closure(frozenset(read), at_start=False, at_end=False)
    return automaton.final in automaton.closure(states, at_start=not text, at_end=True)


def test_automata_accept_what_the_validator_accepts() -> None:
    random = Random(1)
    compared = 0
    for pattern in filter(is_usable, [random_pattern(random, 3) for _ in range(400)]):
        automaton = automaton_of(pattern)
        if automaton is None:
            continue
        for _ in range(10):
            text = "".join(random.choices(CHARACTERS, k=random.randint(0, 5)))
            is_match, compared = matches(pattern, text), compared + 1
            assert accepts(automaton, text) is is_match, (pattern, text)
    assert compared > 2_000


def test_texts_fit_and_where_there_are_none_no_text_does() -> None:
    random = Random(2)
    for _ in range(150):
        pattern, other = random_pattern(random, 2), random_pattern(random, 2)
        if not (is_usable(pattern) and is_usable(other)):
            continue
        most = random.choice([None, 2])
        found = texts_of((pattern,), (other,), ("a", ""), least=1, most=most)
        texts = ["".join(random.choices(CHARACTERS, k=random.randint(1, most or 4))) for _ in range(20)]
        fitting = [text for text in texts if matches(pattern, text) and not matches(other, text) and text != "a"]
        assert not (found.is_none and fitting), (pattern, other)
        if automaton_of(pattern) is not None and automaton_of(other) is not None:
            assert all(matches(pattern, text) and not matches(other, text) for text in found.texts), (pattern, other)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [r"^\d$", r"^\w$", r"^\s$", "^.$", r"^[^\s]$", r"^\W$"])
def test_classes_have_the_characters_of_the_validator(pattern: str) -> None:
    automaton = automaton_of(pattern)
    assert automaton is not None
    for point in (*range(0x3100), 0xD7FF, 0xE000, 0xFEFE, 0xFEFF, 0xFF10, 0x1D7CE, 0x1F600, 0x10FFFF):
        assert accepts(automaton, chr(point)) is matches(pattern, chr(point)), hex(point)


@pytest.mark.parametrize(
    "pattern",
    [r"\p{L}", "[[:alpha:]]", "(?i)a", "(?<n>a)", r"\ba(", "a{3000}", "(?P<n>a)", "(?=a)", "(?!a)b", r"\ba", r"(a)\1"],
)
def test_patterns_that_are_not_understood_have_no_automaton(pattern: str) -> None:
    assert automaton_of(pattern) is None
