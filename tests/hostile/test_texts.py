"""Hostile text in every position of a spec: a diagnostic, or a package that differs from a plain one only in text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.hostile.building import compiled
from tests.hostile.comparison import assert_alike
from tests.hostile.positions import POSITIONS
from tests.hostile.texts import LARGE, MEGABYTE, TEXTS, TOKENS
from toolgen.spec.text import is_hidden

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.hostile.building import Compiled
    from tests.hostile.positions import Position

REFUSED_EVERYWHERE: Final = {
    "kind", "permission", "role", "dialect", "unknown key", "type word", "type of a schema", "export",
    "target of an entry", "cut of an action", "seed", "selector of a rule",
}  # fmt: skip
"""Positions for keywords and for names of other things, where no hostile text is allowed."""

KEEPS_ALL: Final = {
    "arg", "constant", "default", "enumeration", "example", "note in a schema", "property name", "reminder",
    "required property name", "system of an agent",
}  # fmt: skip
"""Positions that must accept all text that a UTF-8 file can contain."""

SHARES: Final = 12
"""Each position gets every twelfth text. All combinations are a long test."""


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.variants(40)
def test_hostile_text_stays_text(name: str) -> None:
    first = list(POSITIONS).index(name) % SHARES
    check(POSITIONS[name], list(TEXTS.values())[first::SHARES])


@pytest.mark.long
@pytest.mark.parametrize("name", POSITIONS)
def test_all_hostile_text_stays_text(name: str) -> None:
    taken = check(POSITIONS[name], TEXTS.values())
    assert bool(taken) == (name not in REFUSED_EVERYWHERE)


@pytest.mark.parametrize("name", sorted(KEEPS_ALL))
def test_data_may_be_any_text(name: str) -> None:
    taken, _ = accepted(POSITIONS[name], TEXTS.values())
    refused = set(TEXTS.values()) - set(taken)
    assert refused == {text for text in TEXTS.values() if re.search("[\ud800-\udfff]", text)}


@pytest.mark.parametrize("name", ["tool key", "type name", "property name", "enumeration", "toolset name"])
def test_tokens_of_the_generator_are_ordinary_names(name: str) -> None:
    tokens = [TEXTS[token] for token in TOKENS]
    assert check(POSITIONS[name], tokens) == tokens


@pytest.mark.long
def test_a_large_hostile_text_stays_text() -> None:
    assert check(POSITIONS["default"], LARGE.values()) == list(LARGE.values())


@pytest.mark.long
@pytest.mark.parametrize("name", POSITIONS)
def test_a_megabyte_of_hostile_text_stays_text_everywhere(name: str) -> None:
    check(POSITIONS[name], MEGABYTE.values())


def check(position: Position, texts: Collection[str]) -> list[str]:
    """Compile all texts at once, each in separate files, and compare with plain texts. Return those accepted."""
    taken, made = accepted(position, texts)
    if not taken:
        return []
    hostile = (made or compiled(files_with(position, taken))).package()
    plain = compiled(
        files_with(position, [position.plain(number, text) for number, text in enumerate(taken)])
    ).package()
    assert_alike(hostile, plain, [position.kept(text) for text in taken])
    assert all(is_shown(text) for text in hostile.values())
    return taken


def accepted(position: Position, texts: Collection[str]) -> tuple[list[str], Compiled | None]:
    """Return the texts that a position accepts, and what they compile to if it accepts all.

    The files of all others have errors.
    """
    made = compiled(files_with(position, texts))
    refused = {int(re.split(r"\D+", error.span.file)[1]) for error in made.errors}
    return [text for number, text in enumerate(texts) if number not in refused], None if refused else made


def files_with(position: Position, texts: Collection[str]) -> dict[str, object]:
    return {
        path: file for number, text in enumerate(texts) for path, file in position.files(f"own{number}", text).items()
    }


def is_shown(text: str) -> bool:
    """Return whether a generated file has no characters that a reviewer does not see."""
    return not any(is_hidden(character) for character in set(text) - {"\n"})
