"""Fixes that are applied together: each whole or not at all, the first of those that overlap."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from toolgen.authoring.text import Fix, TextEdit, apply_fixes, compatible

EDITS = st.builds(
    lambda file, start, length: TextEdit(file, start, start + length, "x"),
    st.sampled_from("fg"),
    st.integers(0, 30),
    st.integers(0, 4),
)


def overlap(one: TextEdit, other: TextEdit) -> bool:
    touches = (one.start < other.end and other.start < one.end) or one.start == other.start
    return one.file == other.file and touches


FIXES = st.lists(
    st.lists(EDITS, min_size=1, max_size=3)
    .filter(lambda edits: not any(overlap(*pair) for pair in combinations(edits, 2)))
    .map(lambda edits: Fix("f", tuple(edits))),
    max_size=12,
)


@given(FIXES)
def test_a_fix_is_left_out_if_and_only_if_it_overlaps_one_that_is_taken(fixes: list[Fix]) -> None:
    taken: list[Fix] = []
    for fix in fixes:
        if not any(overlap(edit, other) for each in taken for other in each.edits for edit in fix.edits):
            taken.append(fix)
    assert compatible(fixes) == taken


def test_thousands_of_fixes_are_chosen_from_at_once() -> None:
    fixes = [Fix("f", (TextEdit("f", at, at + 1, "y"),)) for at in range(20_000)]
    assert apply_fixes("x" * 20_000, "f", fixes) == ("y" * 20_000, 20_000)
