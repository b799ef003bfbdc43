"""YAML 1.2: the values of scalars, and YAML features that the spec language does not support."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.compiler.source.reading import data_of, problem, problems


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, None) for text in ("", "~", "null", "Null", "NULL")),
        *((text, True) for text in ("true", "True", "TRUE")),
        *((text, False) for text in ("false", "False", "FALSE")),
        ("0", 0),
        ("-12", -12),
        ("+12", 12),
        ("012", 12),
        ("0o17", 15),
        ("0xfF", 255),
        ("1.5", 1.5),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        ("+1.5e+3", 1500.0),
        ("1e-999", 0.0),
        ("9" * 4300, int("9" * 4300)),
    ],
)
def test_a_plain_scalar_resolves_by_the_core_schema_of_yaml_1_2(text: str, value: Any) -> None:
    found = data_of(f"a: {text}")["a"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "yes", "on", "off", "y", "n", "No", "YES", "nULL", "tRUE"),
        *("2024-01-01", "2024-01-01T12:00:00Z", "1_000", "12:30", "190:20:30.15", "0b11", "0o8", "0xg", "-0x1", "+0o7"),
        *("=", "<<", "1.2.3", "1e", "e3", ".", "..", "+", "--", "-y", "٣", "inf", "nan", ".INf", "0-18"),
    ],
)
def test_everything_else_is_text(text: str) -> None:
    assert data_of(f"a: {text}\nb: {{c: {text} }}") == {"a": text, "b": {"c": text}}


@pytest.mark.parametrize("text", ["'1'", '"1"', "!!str 1", "! 1", "|-\n 1", ">-\n 1"])
def test_quoted_and_block_scalars_are_text(text: str) -> None:
    assert data_of(f"a: {text}") == {"a": "1"}


def test_keys_are_the_literal_text() -> None:
    text = "1: a\ntrue: b\nnull: c\non: d\n404: e\n0-18: f\n~: g\n1.50: h\n'': i\n!!str k: j"

    assert list(data_of(text)) == ["1", "true", "null", "on", "404", "0-18", "~", "1.50", "", "k"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!int '3'", 3),
        ("!!float 3", 3.0),
        ("!!float 0x10", 16.0),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
        ("! [1]", [1]),
    ],
)
def test_the_tags_of_the_core_schema_are_known(text: str, value: Any) -> None:
    found = data_of(f"a: {text}")["a"]

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("!!set {x}", "TG007 1:4-1:9 the tag `!!set` is not part of the spec language"),
        (
            "!!python/name:os.system ''",
            "TG007 1:4-1:27 the tag `!!python/name:os.system` is not part of the spec language",
        ),
        ("&x !env HOME", "TG007 1:7-1:11 the tag `!env` is not part of the spec language"),
        ("!<x> 1", "TG007 1:4-1:8 the tag `x` is not part of the spec language"),
        ("!!map [1]", "TG007 1:4-1:9 the value does not match its tag `!!map`"),
        ("!!seq x", "TG007 1:4-1:9 the value does not match its tag `!!seq`"),
        ("!!int 3.5", "TG007 1:4-1:9 the value does not match its tag `!!int`"),
        ("!!bool no", "TG007 1:4-1:10 the value does not match its tag `!!bool`"),
    ],
)
def test_other_tags_are_refused(text: str, expected: str) -> None:
    assert problem(f"a: {text}").startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "<<: {a: 1}",
            (
                "TG007 1:1-1:3 `<<` is a merge key in YAML 1.1; YAML 1.2 has none "
                "[write the keys here, or move them to a type and use its name]"
            ),
        ),
        ("? [a]\n: 1", "TG007 1:3-1:6 a mapping or a list cannot be a key [a key is text: quote it]"),
        (
            "a: {{args.x}}",
            "TG007 1:5-1:13 a mapping or a list cannot be a key [quote the whole value; templates must be quoted]",
        ),
        ("a: &x b\n*x : 1", "TG007 2:1-2:3 an alias cannot be a key [write the key here]"),
        ("!!int 1: a", "TG007 1:1-1:8 a key is text, and cannot have a tag [remove the tag]"),
        ("{? : a}", 'TG007 1:4-1:4 there is no key before this `:` [an empty key is written `""`]'),
        ("a: 1\n---\nb: 2", "TG007 2:1-2:4 a second document starts here [move it to a separate file]"),
    ],
)
def test_unsupported_features_of_yaml(text: str, expected: str) -> None:
    assert problem(text) == expected


def test_a_quoted_merge_key_is_a_key() -> None:
    assert data_of('"<<": 1') == {"<<": 1}


def test_one_document_may_be_marked() -> None:
    assert data_of("%YAML 1.2\n---\na: 1\n...\n") == {"a": 1}


def test_a_duplicate_key_refers_to_the_first_one() -> None:
    expected = "TG004 3:1-3:4 duplicate key `a` (1:1-1:2: first written here) [remove or rename one of them]"

    assert problem('a: 1\nb: {"1": x, 2: y}\n"a": 2\n') == expected
    assert problem("{1: x, '1': y}").startswith("TG004 1:8-1:11 duplicate key `1` (1:2-1:3")


def test_reading_continues_after_recoverable_errors() -> None:
    found = problems("a: .inf\na: 1\n<<: {a: .nan}\nb: !x 1\nc: *no\n")

    assert [each[:11] for each in found] == [
        *("TG009 1:4-1", "TG004 2:1-2", "TG007 3:1-3", "TG009 3:9-3", "TG007 4:4-4", "TG003 5:4-5"),
    ]


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (".inf", "not finite"),
        ("-.Inf", "not finite"),
        ("+.INF", "not finite"),
        (".nan", "not finite"),
        (".NaN", "not finite"),
        ("1e999", "too large: the largest is about 1.8e308"),
        ("-1.8e308", "too large: the largest is about 1.8e308"),
        ("9" * 4301, "over 4300 digits long"),
        ("-" + "9" * 4301, "over 4300 digits long"),
        ("0x" + "f" * 4300, "over 4300 digits long"),
        ("!!float " + "9" * 400, "too large: the largest is about 1.8e308"),
    ],
)
def test_numbers_outside_json_are_refused(number: str, reason: str) -> None:
    expected = f"TG009 1:4-1:{4 + len(number)} this number is {reason} [quote it if it is text]"

    assert problem(f"a: {number}") == expected


def test_anchors_and_aliases_share_values() -> None:
    assert data_of("a: &x {b: [1]}\nc: *x\nd: [*x, &y 2, *y]\n&k e: *k") == {
        "a": {"b": [1]},
        "c": {"b": [1]},
        "d": [{"b": [1]}, 2, 2],
        "e": "e",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x [*x]", "TG006 1:8-1:10 `*x` is inside the collection that it refers to [write the values here]"),
        (
            "a: &x {b: {c: *x}}",
            "TG006 1:15-1:17 `*x` is inside the collection that it refers to [write the values here]",
        ),
        ("a: *x", 'TG003 1:4-1:6 there is no anchor `&x` above [write `"*x"` if it is text]'),
    ],
)
def test_an_alias_needs_a_completed_anchor(text: str, expected: str) -> None:
    assert problem(text) == expected


def bomb(levels: int, width: int = 10) -> str:
    """Return lists of ten aliases to the previous list: 10 to the power of `levels` values in a few lines."""
    rows = [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]" for level in range(1, levels)]
    return "\n".join([f"a0: &a0 [{', '.join(['x'] * width)}]", *rows])


def test_aliases_may_expand_to_a_million_values() -> None:
    assert problems(bomb(5)) == []
    assert problem(bomb(6)).startswith("TG006 6:")  # 10 + … + 10 to the power of 6
    assert (
        problem(bomb(100))
        .partition(" [")[0]
        .endswith("the file has more than 1,000,000 values up to here, aliases expanded")
    )


@pytest.mark.parametrize(("path", "module"), [("a.yaml", "yaml_text"), ("a.json", "json_text")])
def test_values_are_counted_without_aliases_too(path: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"toolgen.compiler.source.{module}.MAX_VALUES", 100)  # a million take seconds

    assert problems(f"[{'1,' * 98}1]", path) == []
    assert problem(f"[{'1,' * 99}1]", path).startswith("TG006 1:200-1:201 the file has more than 100 values up to here")
    assert problem('{"a":' * 101, path).startswith("TG006 1:501-")


def test_long_text_counts_as_several_values() -> None:
    text = "x" * 1_000_000

    assert problems(f"a: &x {text}\nb: [{', '.join(['*x'] * 90)}]") == []
    assert problem(f"a: &x {text}\nb: [{', '.join(['*x'] * 110)}]").startswith("TG006 2:")
    assert problem(f"a: &x {{? {text}\n : 1}}\nb: [{', '.join(['*x'] * 110)}]").startswith("TG006 3:")


def test_two_hundred_levels_are_read_and_one_more_is_refused() -> None:
    deepest: Any = 1
    for _ in range(200):
        deepest = [deepest]

    assert data_of("[" * 200 + "1" + "]" * 200) == deepest
    assert problem("[" * 201 + "1" + "]" * 201) == (
        "TG005 1:201-1:202 this is nested more than 200 levels deep [give the inner part a name under `types`]"
    )
    assert problem("- " * 100_000).startswith("TG005 1:401-1:402")
    assert problem("{a: " * 100_000).startswith("TG005 1:801-1:802")


def test_aliases_count_with_the_depth_of_their_value() -> None:
    chain = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300))])

    assert problem(chain).startswith("TG005 200:")


def test_a_byte_order_mark_is_ignored() -> None:
    assert data_of("\ufeffa: 1".encode()) == {"a": 1}
    assert problem("\ufeffa: @").startswith("TG003 1:4-1:5")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\U0001f600 \u00e9 \x41 \/ \0"', "😀 é A / \0"),
        ('"a\\\n  b"', "ab"),
        ("'it''s'", "it's"),
        ("|\n  a\n   b\n\n  c\n", "a\n b\n\nc\n"),
        (">-\n  a\n  b\n\n  c\n", "a b\nc"),
        ("|2+\n   a\n\n", " a\n\n"),
    ],
)
def test_text_in_every_style(text: str, value: str) -> None:
    assert data_of(f"a: {text}") == {"a": value}


def test_flow_mappings_read_as_in_the_spec_language() -> None:
    assert data_of('{name?: string, "after?": x, a: , b, "c":1, d: -y}') == {
        "name?": "string",
        "after?": "x",
        "a": None,
        "b": None,
        "c": 1,
        "d": "-y",
    }


def test_values_that_the_spec_language_requires_to_be_quoted_are_text() -> None:
    text = """\
        network: {"*": ask}
        paths: {sensitive: ["*.pem", ~/.ssh, .env.*]}
        args: {path: string, "after?": string}
        glob?: string
        exec: [rg, --, "{{args.pattern}}"]
        confirm: Save {{args.name}}?
    """

    assert data_of(text) == {
        "network": {"*": "ask"},
        "paths": {"sensitive": ["*.pem", "~/.ssh", ".env.*"]},
        "args": {"path": "string", "after?": "string"},
        "glob?": "string",
        "exec": ["rg", "--", "{{args.pattern}}"],
        "confirm": "Save {{args.name}}?",
    }


@pytest.mark.parametrize("text", ["{*: ask}", "[*.pem]", "{{args.x}} and more"])
def test_without_the_quotes_there_is_a_diagnostic(text: str) -> None:
    assert problems(f"a: {text}")


@pytest.mark.parametrize("path", ["a.yaml", "a.json"])
def test_reading_stops_after_too_many_problems(path: str) -> None:
    number = "1e999"

    assert len(problems(f"[{', '.join([number] * 999)}]", path)) == 999
    assert len(problems(f"[{', '.join([number] * 5000)}]", path)) == 1000
