"""JSON text: numbers that JSON has are read, and others are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.schema.json_values import value_of


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
