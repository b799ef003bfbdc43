from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.runtime.base.json_text import MAX_DEPTH, NotJson, json_bytes, parse, parse_unique

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON)
def test_json_is_read_exactly(value: Any) -> None:
    assert parse(json.dumps(value)) == value
    assert parse(json_bytes(value)) == value


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1E+0400", "1" * 310 + ".5", "[0, 1e999]", '{"a": 1e309}'])
def test_numbers_out_of_range_are_refused(number: str) -> None:
    with pytest.raises(NotJson, match="out of range"):
        parse(number)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', b"[1, NaN]"])
def test_a_word_that_is_no_number_of_json_is_named(text: str | bytes) -> None:
    with pytest.raises(NotJson, match="it holds NaN or an infinity, and JSON has neither"):
        parse(text)


@pytest.mark.parametrize("number", ["1e308", "-1.5e-400", "1e-999", "1E5", '"1e999"', "9" * 400])
def test_numbers_in_range_are_kept(number: str) -> None:
    assert parse(number) == json.loads(number)


def test_an_integer_of_over_4300_digits_is_refused_without_a_crash() -> None:
    with pytest.raises(NotJson, match="out of range"):
        parse("9" * 5000)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "-Infinity",
        "",
        "{} {}",
        "1 2",
        "01",
        "{'a': 1}",
        "[1,]",
        b"\xef\xbb\xbf{}",
        b'"\xff"',
        '"\\ud800"',
        '"\ud800"',
    ],
)
def test_invalid_json_is_refused(text: bytes | str) -> None:
    with pytest.raises(NotJson):
        parse(text)


@pytest.mark.parametrize(("opening", "closing", "times"), [("[", "]", 200), ('{"a":', "}", 200), ('[{"a":', "}]", 100)])
def test_200_levels_are_read_and_201_are_refused(opening: str, closing: str, times: int) -> None:
    fits = opening * times + "1" + closing * times
    parse(fits)
    for too_deep in (f"[{fits}]", "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)):
        with pytest.raises(NotJson, match=r"deep|recursion"):
            parse(too_deep)


def test_brackets_in_a_string_do_not_count_as_levels() -> None:
    assert parse(json.dumps("[" * 1000)) == "[" * 1000


def test_the_last_of_duplicate_keys_counts_unless_keys_must_be_unique() -> None:
    assert parse('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(NotJson, match="the same key twice"):
        parse_unique('{"b": [{"a": 1, "a": 2}]}')
    assert parse_unique('{"a": {"a": 1}}') == {"a": {"a": 1}}


def test_a_python_value_without_json_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (endless, deep, object(), "\ud800", {"a": b"\xff"}):
        with pytest.raises(NotJson):
            json_bytes(value)
    while deep:
        deep = deep.pop()  # freed level by level, since the interpreter would recurse
