"""What a model, or a person, is told about a text that is no JSON: what is wrong, where, and how it is mended."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.base.json_text import NotJson, parse
from toolgen.runtime.codec.codec import Codec

ALONE = "send the JSON value alone, without "
NUMBER = "write a number as JSON does, such as 0.5 or -1e3"
TEXTS = "write each text in double quotes, keys too"
COMMENTS = "remove the comments, which JSON does not have"
WHOLE = "write each character whole"


def error_of(text: bytes | str) -> NotJson:
    with pytest.raises(NotJson) as caught:
        parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "send one valid JSON value"),
        (" \n", "send one valid JSON value"),
        ("[1,,2]", "send one valid JSON value"),
        ('```json\n{"a": 1}\n```', f"{ALONE}a code fence around it"),
        ('Here it is: {"a": 1}', f"{ALONE}text before it"),
        ('{"a": 1} is it', "send one JSON value, and nothing after it"),
        ("\ufeff{}", "send it without a byte order mark"),
        (b"\xef\xbb\xbf{}", "send it without a byte order mark"),
        ("{}".encode("utf-16"), "send UTF-8"),
        (b'{"a": "\xff"}', "send UTF-8"),
        ('{"a": [1, 2', "the text ends too early: send all of it"),
        ("{'a': 1}", TEXTS),
        ("{\"a\": 'x'}", TEXTS),
        ("{a: 1}", "write each key in double quotes"),
        ('{"a": 1,}', "remove the comma before the closing bracket"),
        ('{"é": "é",\n "b": "é", "c": None}', "write true, false or null"),
        ("[True]", "write true, false or null"),
        ("[tru]", "write true, false or null"),
        ('// a\n{"a": 1}', COMMENTS),
        ('{"a": 1, // a\n "b": 2}', COMMENTS),
        ('{"a": /* a */ 1}', COMMENTS),
        ("[.5]", NUMBER),
        ("[+5]", NUMBER),
        ("[05]", NUMBER),
        ('{"a": "say "hi""}', r"put a comma between values; in a text, write a double quote as \""),
        ('{"a" 1}', "put a colon between a key and its value"),
        ('{"a": "x\ny"}', r"in a text, write a line break as \n and a tab as \t"),
        (r'{"a": "C:\x"}', r"in a text, write a backslash as \\"),
        ("[" * 300, "nest it less deeply"),
    ],
)
def test_what_is_no_json_is_told_how_to_mend_it(text: bytes | str, hint: str) -> None:
    assert error_of(text).hint == hint


PARTS = st.recursive(
    st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~é", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    PARTS,
    st.lists(st.sampled_from(["a", "b/c", "~", "é", "", 0, 1]), max_size=4),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "1e999", "-1e400", r'"\ud800"', r'"a\udc00b"', r'{"\udc00": 1}']),
)
def test_a_value_that_json_lacks_is_told_by_its_place(filler: Any, steps: list[str | int], bad: str) -> None:
    """Wherever it is, and whatever is beside it."""
    text = bad
    for step in reversed(steps):
        beside = json.dumps(filler)
        if isinstance(step, int):
            text = f"[{', '.join([beside] * step + [text, beside])}]"
        else:
            text = f'{{"beside": {beside}, {json.dumps(step)}: {text}}}'
    pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
    error = error_of(text)
    assert (error.pointer, error.hint != "") == (pointer, True)
    assert error_of(text.encode()).pointer == pointer


def test_a_lone_surrogate_of_a_python_text_is_told_by_its_place() -> None:
    error = error_of('{"a": ["b", "\ud83d"]}')
    assert (error.pointer, str(error), error.hint) == ("/a/1", "a lone surrogate", WHOLE)


@given(PARTS, st.data())
def test_no_text_without_an_error_that_can_be_read(value: Any, data: st.DataObject) -> None:
    """A text of JSON that is cut or changed in one place is JSON, or refused with a hint, in one line."""
    text = json.dumps(value, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(
        st.sampled_from(["", "'", '"', ",", ":", "{", "]", "\\", "\n", "None", "NaN", "1e999", "\ud800", "#"])
    )
    changed = text[:at] + put + (text[at:] if data.draw(st.booleans()) else "")
    error = None
    try:
        parse(changed)
    except NotJson as refused:
        error = refused
    assert error is None or (error.hint and error.advice.isprintable())


def test_the_issue_of_a_payload_says_each_thing_once() -> None:
    with pytest.raises(InvalidPayload) as caught:
        Codec.of({"type": "object"}).decode('{"a": NaN}')
    (found,) = caught.value.issues
    assert (found.pointer, found.keyword, found.expected, found.found, found.hint) == (
        "/a",
        "json",
        "JSON",
        "NaN, which JSON does not have",
        "send a number, null or a text",
    )


@pytest.mark.slow
@pytest.mark.parametrize("bad", ["NaN", '{"a": 1, "a": 1}'])
def test_a_wide_value_far_inside_costs_no_more_memory_than_at_the_top(bad: str) -> None:
    """The place of each part is kept while the problem is looked for."""

    def peak(depth: int) -> int:
        text = "[" * depth + "[]," * 20_000 + bad + "]" * depth
        tracemalloc.start()
        try:
            error_of(text)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(190) < 2 * peak(1)
