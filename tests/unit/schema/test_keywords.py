"""The depth of schemas."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolgen.schema.keywords import DEEPEST, is_deeper

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(max_size=2),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=2), each, max_size=3),
    max_leaves=12,
)


def depth(value: Any) -> int:
    """Return how many levels of members a value has."""
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max((1 + depth(each) for each in members), default=0)


@given(VALUES, st.integers(0, 6))
def test_a_value_is_deeper_than_fewer_levels_than_it_has(value: Any, levels: int) -> None:
    assert is_deeper(value, levels) == (depth(value) > levels)


def test_the_depth_of_a_hostile_value_takes_no_recursion() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert is_deeper(value)
    assert not is_deeper({"properties": {"a": {"type": "string"}}})
    assert DEEPEST == 100
