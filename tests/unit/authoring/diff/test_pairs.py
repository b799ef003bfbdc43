"""Pairs: each reports the rules that it expects, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.authoring.diff.pairs import all_pairs, compare_pairs
from toolgen.authoring.diff.compare import Report
from toolgen.authoring.diff.sides import Side
from toolgen.changes.rules import RULES, Level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.unit.authoring.diff.pairs import Pair
    from toolgen.authoring.diff.compare import Located

pytestmark = pytest.mark.xdist_group("diff_pairs")
EVERY = all_pairs()


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Pair, Sequence[Located]]:
    return compare_pairs(EVERY, tmp_path_factory.mktemp("pairs"))


@pytest.mark.parametrize("pair", EVERY, ids=lambda pair: f"{pair.file}-{pair.name.replace(' ', '_')}")
def test_a_pair_reports_the_expected_rules(pair: Pair, changes: Mapping[Pair, Sequence[Located]]) -> None:
    shown = "\n".join(f"{each.change.code} {each.change.summary()} {each.change.evidence}" for each in changes[pair])
    assert tuple(sorted({each.change.code for each in changes[pair]})) == pair.expected, shown


def test_half_of_150_pairs_break_nothing() -> None:
    compatible = [pair for pair in EVERY if all(RULES[code].severity is not Level.BREAKING for code in pair.expected)]
    assert len(EVERY) >= 150
    assert len(compatible) >= 75


ELSEWHERE = {
    **{f"WIRE{number}": "test_command.py" for number in (402, 403, 501, 502)},
    **{f"CODE{number}": "test_apis.py" for number in (302, 401, 402, 404, 405, 502)},
}
"""Rules that no pair shows, and the tests that do."""


def test_every_rule_has_a_pair_or_another_test() -> None:
    expected = {code for pair in EVERY for code in pair.expected}
    assert RULES.keys() - expected - ELSEWHERE.keys() == set()
    for code, file in ELSEWHERE.items():
        assert code in Path(__file__).with_name(file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("an arg becomes required", "major"),
        ("a new optional arg", "minor"),
        ("the maximum is raised", "minor"),
        ("a description", "patch"),
        ("enum values in another order", "patch"),
        ("a tool writes", "minor"),
        ("a tool is new", "minor"),
        ("a tool is gone", "major"),
        ("an agent loses a tool", "major"),
        ("a type becomes a shared one", "minor"),
        ("nothing changes", None),
    ],
)
def test_the_part_of_the_version_to_raise(
    name: str, part: str | None, changes: Mapping[Pair, Sequence[Located]]
) -> None:
    (found,) = (changes[pair] for pair in EVERY if pair.name == name)
    nowhere = Side("", {})
    assert Report(nowhere, nowhere, tuple(found)).bump == part
