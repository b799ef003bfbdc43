from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.schema.references import at, child, reference_to

DOCUMENT = {"a/b": {"m~n": [10, {" ": 20}]}, "": 30, "%": 40, "0": 50}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", DOCUMENT),
        ("#/a~1b/m~0n/0", 10),
        ("#/a~1b/m~0n/1/%20", 20),
        ("#/a%7E1b/m%7E0n/0", 10),
        ("#/", 30),
        ("#/%25", 40),
        ("#/0", 50),
        ("#/a~1b/m~0n/2", None),
        ("#/a~1b/m~0n/-1", None),
        ("#/a~1b/m~0n/²", None),
        (f"#/a~1b/m~0n/{'9' * 5000}", None),
        ("#/a~1b/m~0n/0/0", None),
        ("#/missing/a", None),
        ("#anchor", None),
        ("other.json#/0", None),
        ("", DOCUMENT),
        (None, None),
        (["#"], None),
    ],
)
def test_references_are_resolved_step_by_step(reference: str, found: Any) -> None:
    assert at(DOCUMENT, reference) == found


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.integers(0, 10**8)))
def test_a_pointer_splits_into_its_keys(path: list[str | int]) -> None:
    document: Any = "end"
    for step in reversed(path):
        document = {str(step): document}
    assert at(document, reference_to(path)) == "end"


def test_an_index_consists_of_ascii_digits() -> None:
    assert [child(["a", "b"], key) for key in ("0", "1", "2", "x", "\u0660")] == ["a", "b", None, None, None]
