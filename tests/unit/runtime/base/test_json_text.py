from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.runtime.base.json_text import MAX_DEPTH, NotJson, RepeatedKey, check_keys, json_bytes, parse

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
    with pytest.raises(NotJson, match=r"^(NaN|-?Infinity), which JSON does not have"):
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
        with pytest.raises(NotJson, match=r"levels of nesting|recursion"):
            parse(too_deep)


def test_brackets_in_a_string_do_not_count_as_levels() -> None:
    assert parse(json.dumps("[" * 1000)) == "[" * 1000


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"a": 1, "a": 1}', "/a"),
        ('{"a": 1, "\\u0061": 2}', "/a"),
        ('{"b": [{"a": 1 ,\n"a"\t: 2}]}', "/b/0/a"),
        ('{"a": {"x": 1, "x": 2}, "a": ":"}', "/a"),
        ('{"a": ":::", "a/b": "\\u003a", "a/b": 1}', "/a~1b"),
        ('[{"": 1, "": 2}]', "/0/"),
        ('{"é": {"é": 1, "é": ":"}}', "/é/é"),
    ],
)
def test_a_key_that_is_there_twice_is_refused_and_named(text: str, pointer: str) -> None:
    for given_text in (text, text.encode()):
        with pytest.raises(RepeatedKey) as caught:
            parse(given_text)
        assert caught.value.pointer == pointer


@given(JSON, st.data())
def test_exactly_texts_that_repeat_a_key_are_refused(value: Any, data: st.DataObject) -> None:
    """Whatever is in strings, however a text is laid out and escaped: no text is refused without a repeated key."""
    plain = json.dumps(value, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.sampled_from([None, 1])))
    text = data.draw(st.sampled_from([plain, plain.replace(":", "\\u003a") if '":' not in plain else plain]))
    parse(text)
    objects = [each for each in _objects(value) if each]
    if objects:
        chosen = data.draw(st.sampled_from(objects))
        key = data.draw(st.sampled_from([*chosen]))
        mark = "\N{GREEK SMALL LETTER OMEGA}mark"
        marked = json.dumps(_replaced(value, chosen, {**chosen, mark: data.draw(JSON)}), ensure_ascii=False)
        repeated = marked.replace(f"{json.dumps(mark, ensure_ascii=False)}:", f"{json.dumps(key)}:")
        with pytest.raises(RepeatedKey):
            parse(repeated)


def _objects(value: Any) -> list[dict[str, Any]]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [*([value] if isinstance(value, dict) else []), *(each for part in below for each in _objects(part))]


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if value is old:
        return new
    if isinstance(value, dict):
        return {key: _replaced(each, old, new) for key, each in value.items()}
    return [_replaced(each, old, new) for each in value] if isinstance(value, list) else value


def test_the_colons_of_strings_cost_no_second_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text whose colons are those of its members and strings is not read again; one with escaped colons is."""
    monkeypatch.setattr(json, "loads", lambda *_args, **_options: pytest.fail("it was read again"))
    for value in ({"a": "https://x: y", "b": {"c:d": ["1:2"]}}, [{"a": 1}, {"a": ":"}]):
        check_keys(json_bytes(value), value)


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
