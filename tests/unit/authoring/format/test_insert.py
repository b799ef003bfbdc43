"""Insertions: another entry at the end of a collection, and all other text as it was."""

from __future__ import annotations

from typing import Any

import pytest

from toolgen.authoring.format.update import CannotInsert, SpecTooLarge, inserted
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import SpecFile, parse_spec


def file_of(text: str, path: str = "a.yaml") -> SpecFile:
    file = parse_spec(path, text, Diagnostics())
    assert file is not None
    return file


@pytest.mark.parametrize(
    ("text", "path", "expected", "line"),
    [
        ("a: {}\n", ("a", "k"), "a: {k: {x: 1}}\n", 1),
        ("a: []\n", ("a", 0), "a: [{x: 1}]\n", 1),
        ("a: [1,   2, # c\n  ]\n", ("a", 2), "a: [1,   2, {x: 1}, # c\n  ]\n", 1),
        ("a:\n  b:  1 # c\n\n# d\n", ("a", "k"), "a:\n  b:  1 # c\n  k: {x: 1}\n\n# d\n", 3),
        ("a:\n- 1\n-   - 2\n# d", ("a", 2), "a:\n- 1\n-   - 2\n- x: 1\n# d", 4),
        ("a:\n- 1\n-   - 2\n# d", ("a", 1, 1), "a:\n- 1\n-   - 2\n    - x: 1\n# d", 4),
        ("a:\n  - b: 1", ("a", 0, "k"), "a:\n  - b: 1\n    k: {x: 1}\n", 3),
        ("a:\n  b: |\n    t\n\n  # e\nc: 1\n", ("a", "k"), "a:\n  b: |\n    t\n  k: {x: 1}\n\n  # e\nc: 1\n", 4),
        ("a:\n  b: t\n   u # v\nc: 1\n", ("a", "k"), "a:\n  b: t\n   u # v\n  k: {x: 1}\nc: 1\n", 4),
        ("a:\n  b:\nc: 1\n", ("a", "k"), "a:\n  b:\n  k: {x: 1}\nc: 1\n", 3),
        ("a:\r\n  b: 1\r\n", ("a", "k"), "a:\r\n  b: 1\r\n  k: {x: 1}\r\n", 3),
        ("a:\n  b: &x\n    y: 1\n  c: *x\n", ("a", "k"), "a:\n  b: &x\n    y: 1\n  k: {x: 1}\n  c: *x\n", 4),
    ],
)
def test_an_entry_is_added_and_the_rest_stays(text: str, path: Any, expected: str, line: int) -> None:
    assert inserted(file_of(text), path, {"x": 1}) == (expected, line)


def test_json_gets_json() -> None:
    text = '{\n  "a": {\n    "b": 1\n  }\n}\n'
    expected = '{\n  "a": {\n    "b": 1,\n    "k\\"": {"x": "\\u202e\\n"}\n  }\n}\n'
    assert inserted(file_of(text, "a.json"), ("a", 'k"'), {"x": "\u202e\n"}) == (expected, 4)


@pytest.mark.parametrize("key", ["a: b", "- x", "#", "{", "null", "\u202e", "x\ny", "'\"", "é"])
def test_any_text_is_read_back(key: str) -> None:
    for text in ("a: {b: 1}\n", "a:\n  b: 1\n"):
        made, _ = inserted(file_of(text), ("a", key), [key, {key: key}])
        assert file_of(made).root.to_data() == {"a": {"b": 1, key: [key, {key: key}]}}
        assert "\u202e" not in made


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: &x {b: 1}\nc: *x\n", ("c", "k")),  # both would get it
        ("a:\n  b: |+\n    t\n\n\n", ("a", "k")),  # the text would lose its end
        ("a:\n  ? b\n  : 1\n", ("a", "k")),
        ("a:\n  -\n    b\n", ("a", 1)),
        ("a: 1\n", ("a", "k")),
    ],
)
def test_what_an_insertion_could_break_is_refused_with_its_place(text: str, path: Any) -> None:
    with pytest.raises(CannotInsert, match=r"a\.yaml:\d+:\d+: nothing can be added"):
        inserted(file_of(text), path, {"x": 1})


def test_values_that_no_spec_can_have_are_refused() -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = [deep]
    for value, error in (("\ud800", ValueError), (float("nan"), ValueError), (deep, SpecTooLarge)):
        with pytest.raises(error):
            inserted(file_of("a:\n  b: 1\n"), ("a", "k"), value)
