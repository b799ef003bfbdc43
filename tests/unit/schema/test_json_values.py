"""JSON text: numbers that JSON has are read, and others are refused."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.schema.json_values import are_equal, canonical, has_more_parts, number_of, value_of

if TYPE_CHECKING:
    from random import Random

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.randoms(use_true_random=False))
def test_goa_17_canonical_json_is_sorted_compact_utf_8_and_canonical_again(value: Any, random: Random) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text
    assert json.loads(text) == value

    def shuffled(each: Any) -> Any:
        if isinstance(each, dict):
            keys = list(each)
            random.shuffle(keys)
            return {key: shuffled(each[key]) for key in keys}
        return [*map(shuffled, each)] if isinstance(each, list) else each

    for indent in (None, 2):
        written = json.dumps(shuffled(value), indent=indent, ensure_ascii=indent is None)
        assert canonical(json.loads(written)) == text, "however it was written"

    def sorted_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert [key for key, _ in pairs] == sorted({key for key, _ in pairs})
        return dict(pairs)

    json.loads(text, object_pairs_hook=sorted_pairs)
    escapes = re.findall(r"\\(u[0-9a-f]{4}|.)", text.decode("utf-8"))
    assert all(int(each[1:], 16) < 0x20 for each in escapes if len(each) > 1), "UTF-8, not escapes"
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text.decode("utf-8"))
    assert not re.search(r"\s", outside), "compact"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_finite_numbers_are_read(number: float) -> None:
    assert value_of(json.dumps([number])) == [number]
    assert value_of("1e308") == 1e308


@pytest.mark.parametrize("text", ["1e999", "-1e999", '{"a": [1e400]}'])
def test_numbers_beyond_a_double_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="too large"):
        value_of(text)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "[-Infinity]"])
def test_names_of_numbers_are_not_json(text: str) -> None:
    with pytest.raises(ValueError, match="is not JSON"):
        value_of(text)


@pytest.mark.parametrize(
    ("value", "parts"), [(1, 1), ([], 1), ([1, 2], 3), ({"a": [1, {}], "b": None}, 5), ([[]] * 3, 4)]
)
def test_parts_are_counted_up_to_a_bound(value: Any, parts: int) -> None:
    assert not has_more_parts(value, parts)
    assert has_more_parts(value, parts - 1)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        ({"a": [0]}, {"a": [False]}, False),
        ({"a": 1, "b": None}, {"b": None, "a": 1}, True),
        ({"a": None}, {}, False),
        ([1], [1, 2], False),
        ("1", 1, False),
    ],
)
def test_equal_values_are_those_of_json_not_of_python(one: Any, other: Any, equal: bool) -> None:
    assert are_equal(one, other) is are_equal(other, one) is equal


@given(st.integers(0, 10**15 - 1))
def test_a_text_of_digits_is_its_number(number: int) -> None:
    assert number_of(str(number)) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "1.0", "1e3", "²", "\u0661", "9" * 16, "9" * 5_000])
def test_a_text_that_is_no_number_of_digits_is_none(text: str) -> None:
    assert number_of(text) is None
