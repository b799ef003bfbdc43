"""Fixes: what changes, that comments stay, and that nothing else does."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.unit.authoring.format.test_properties import node
from tests.unit.authoring.lint.examples import files_of, parsed
from toolgen.authoring.lint.fixing import Fixed, fix
from toolgen.authoring.lint.registry import Rule, all_rules
from toolgen.authoring.text import Fix, TextEdit, apply_fixes
from toolgen.compiler.project.config import Config, Target
from toolgen.compiler.source.read import SpecFile

RULES = [
    pytest.param(rule, marks=pytest.mark.long if code == "TL405" else ())  # thousands of args, and nothing to fix
    for code, rule in all_rules().items()
]


def fixed(text: str, path: str = "a.yaml") -> Fixed:
    files = {Target(): [SpecFile(path, text, node(text, path))]}
    return fix(Config(Path(), (Target(),)), files)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{type: [string], description: A city.}  # c", "{type: string, description: A city.}  # c"),
        ("{type: string, description: A  city.}", "{type: string, description: A city.}"),
        ('{type: string, description: " A city."}', "{type: string, description: A city.}"),
        ("{enum: [a, b, a], description: A city.}", "{enum: [a, b], description: A city.}"),
    ],
)
def test_a_fix_changes_one_value(before: str, after: str) -> None:
    text = (
        "toolgen: 1\ntoolset: shop\ntools:\n  find:  # one\n    description: Search the orders.\n"
        "    permission: readonly\n    args:\n      # two\n      city: %s\n"
    )
    outcome = fixed(text % before)
    assert outcome.texts == {"a.yaml": text % after}
    assert sum(outcome.counts.values()) == 1
    assert not outcome.left.fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{password: string}", "{password: {type: string, writeOnly: true}}"),
        ("{password: {type: string}}", "{password: {writeOnly: true, type: string}}"),
        ("\n      password:\n        type: string", "\n      password:\n        writeOnly: true\n        type: string"),
    ],
)
def test_a_secret_is_marked_in_every_form(before: str, after: str) -> None:
    text = "toolgen: 1\ntoolset: shop\ntools:\n  sign_in:\n    description: Opens a session.\n    args: %s\n"
    assert fixed(text % before).texts == {"a.yaml": text % after}


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_new_lines_end_as_those_of_the_file(end: str) -> None:
    text = (
        "toolgen: 1\ntoolset: shop\ntools:\n  sign_in:\n    description: Opens a session.\n    args:\n"
        "      password:\n        type: string\n"
    )
    expected = text.replace("        type", "        writeOnly: true\n        type")
    assert fixed(text.replace("\n", end)).texts == {"a.yaml": expected.replace("\n", end)}


@pytest.mark.parametrize("rule", RULES, ids=all_rules())
@pytest.mark.variants(25)
def test_no_fix_depends_on_line_ends(rule: Rule) -> None:
    def outcome(end: str) -> dict[str, str]:
        files = parsed({path: text.replace("\n", end) for path, text in files_of(rule.bad).items()})
        return dict(fix(Config(Path(), (Target(),)), {Target(): files}).texts)

    assert outcome("\r\n") == {path: text.replace("\n", "\r\n") for path, text in outcome("\n").items()}


def test_json_is_fixed_too() -> None:
    args = '{"type": "object", "additionalProperties": false, "properties": {"password": {"type": ["string"]}}}'
    tool = f'{{"description": "Opens a session.", "args": {args}}}'
    text = f'{{"toolgen": 1, "toolset": "shop", "tools": {{"sign_in": {tool}}}}}'
    outcome = fixed(text, "a.json")
    assert outcome.texts == {"a.json": text.replace('{"type": ["string"]}', '{"writeOnly": true, "type": "string"}')}
    assert sum(outcome.counts.values()) == 2


def test_an_unused_suppression_is_removed_with_its_line() -> None:
    text = dedent("""\
        toolgen: 1
        toolset: shop
        tools:
          # toolgen: ignore TL206 -- no longer
          find:  # toolgen: ignore TL101 -- no longer\x20
            description: Search the orders.
            permission: readonly
        """)
    assert fixed(text).texts == {
        "a.yaml": text.replace("  # toolgen: ignore TL206 -- no longer\n", "").replace(
            "  # toolgen: ignore TL101 -- no longer ", ""
        )
    }


@pytest.mark.parametrize("properties", ["", " &x", " !!seq", " &x !!seq"])
def test_a_suppression_beside_a_list_of_a_field_is_kept_with_its_reason(properties: str) -> None:
    text = dedent(f"""\
        toolgen: 1
        toolset: shop
        tools:
          find:
            description: Search the orders.
            permission: readonly
            args:
              status:
                description: A status.
                enum:{properties}  # toolgen: ignore TL207 -- both are in use
                  - open
                  - Open
        """)
    loud = fixed(text.replace("  # toolgen: ignore TL207 -- both are in use", ""))
    assert "TL207" in {each.code for each in loud.left.findings}

    silent = fixed(text)

    assert {"TL001", "TL207"}.isdisjoint(each.code for each in silent.left.findings)
    assert not silent.texts


def test_a_value_with_an_anchor_or_a_tag_is_left_alone() -> None:
    text = dedent("""\
        toolgen: 1
        toolset: shop
        tools:
          find:
            description: Search the orders.
            permission: readonly
            args:
              city: {enum: [&first here, here, there], description: A city.}
              town: {enum: [*first, far], description: A town.}
              size: {type: [&kind string], description: A size.}
              form: {type: *kind, description: A form.}
              road: {type: &list [string], description: A road.}
              lane: {type: *list, description: A lane.}
              last: {enum: [!!str one, one, two], description: A place.}
        """)
    assert fixed(text).texts == {}


def test_of_overlapping_fixes_the_first_is_applied_whole_and_the_other_not() -> None:
    first = Fix("a", (TextEdit("f", 0, 2, "x"), TextEdit("f", 6, 7, "y")))
    second = Fix("b", (TextEdit("f", 1, 3, "z"), TextEdit("f", 4, 5, "z")))
    other = Fix("c", (TextEdit("g", 0, 1, "z"),))
    assert apply_fixes("01234567", "f", [first, second, other]) == ("x2345y7", 1)


def test_values_that_python_takes_for_equal_are_left() -> None:
    text = dedent("""\
        toolgen: 1
        toolset: shop
        tools:
          find:
            description: Search the orders.
            permission: readonly
            args:
              state: {enum: [a, a, 1, true, 0, false], description: Which orders to find.}
            examples:
              - args: {state: 1}
              - args: {state: true}
        """)
    outcome = fixed(text)
    assert outcome.texts == {"a.yaml": text.replace("[a, a, 1", "[a, 1")}
    assert not outcome.left.findings


EXAMPLES = """\
toolgen: 1
toolset: shop
tools:
  find:
    description: Search the orders.
    permission: readonly
    args: {state: {type: string, description: Which orders to find.}}
    examples:
%s
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """\
      - args: {state: open}  # one
      - args: {state: open}
      # three
      - args: {state: paid}""",
            """\
      - args: {state: open}  # one
      # three
      - args: {state: paid}""",
        ),
        (
            """\
      - args:
          state: open
      - args:
          state: paid

      - args:
          state: open
""",
            """\
      - args:
          state: open
      - args:
          state: paid

""",
        ),
    ],
)
def test_an_equal_example_is_removed(before: str, after: str) -> None:
    outcome = fixed(EXAMPLES % before)
    assert outcome.texts == {"a.yaml": EXAMPLES % after}
    assert not outcome.left.findings


@pytest.mark.parametrize(
    "second",
    [
        "      - args: {state: open}  # with a comment\n      - args: {state: open} # and this",
        "      - args: {state: open}\n      - args: {state: open}\n        result: 1",
        "      - args: {state: open}\n      - {args: {state: open}, # why\n         }",
    ],
)
def test_an_example_with_something_else_is_left(second: str) -> None:
    text = (EXAMPLES % second).replace("    examples", "    result: integer\n    examples")
    outcome = fixed(text)
    assert (outcome.texts, [found.code for found in outcome.left.findings]) == ({}, ["TL604"])


def test_repeated_values_of_a_list_in_lines_are_removed() -> None:
    head = "toolgen: 1\ntoolset: shop\ntools:\n  find:\n    description: Search the orders.\n    permission: readonly\n"
    enum = "          enum:\n          - a\n          - b  # two\n"
    text = f"{head}    args:\n        state:\n          description: Which orders to find.\n{enum}"
    assert fixed(f"{text}          - a\n").texts == {"a.yaml": text}
    assert not fixed(f"{text}          - a  # again\n").texts


def test_the_rules_of_a_suppression_that_silence_nothing_are_removed() -> None:
    text = dedent("""\
        toolgen: 1
        toolset: shop
        tools:
          find:
            description: Search the orders.
            args: {%s: boolean}  # toolgen: ignore TL305, negated-boolean, TL999 -- as the API has it
            permission: readonly
        """)
    assert fixed(text % "no_archive").texts == {
        "a.yaml": (text % "no_archive").replace("TL305, negated-boolean, TL999", "negated-boolean, TL999")
    }
    assert fixed(text % "archive").texts == {
        "a.yaml": (text % "archive").replace("TL305, negated-boolean, TL999", "TL999")
    }


SHARED = """\
toolgen: 1
toolset: shop
types:
  Text: {type: string, maxLength: 100}
  Login: {user: string, password: string}
  State: {enum: [open, open, Paid]}
  City: {type: [string], description: A  city.}
tools:
  login:
    description: Opens a session.
    args: {customer: Text, password: %s, login: Login, state: State, city: City}
  rename:
    description: Gives a product another title.
    args: {product: Text, title: Text}
    result: {title: Text}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Text", '{$ref: "#/types/Text", writeOnly: true}'),
        ('{$ref: "#/types/Text"}', '{writeOnly: true, $ref: "#/types/Text"}'),
        (
            "\n        $ref: '#/types/Text'\n        description: What they know.\n      ",
            "\n        writeOnly: true\n        $ref: '#/types/Text'\n        description: What they know.\n      ",
        ),
    ],
    ids=["name", "reference", "lines"],
)
@pytest.mark.parametrize("dialect", ["", "dialect: draft-07\n"])
def test_a_fix_behind_a_reference_is_beside_it_and_changes_no_named_type(before: str, after: str, dialect: str) -> None:
    text = SHARED.replace("types:\n", f"{dialect}types:\n")
    args = "{customer: Text, password: %s, login: Login, state: State, city: City}"
    if before.startswith("\n"):
        text = text.replace(args, "\n      customer: Text\n      password:%s")
    outcome = fixed(text % before.rstrip(" "))
    assert outcome.texts == {"a.yaml": text % after.rstrip(" ")}
    assert not outcome.left.fixes
    left = [each for each in outcome.left.findings if each.code == "TL509"]
    assert len(left) == text.count("login: Login")  # that of the type, which is left


def test_a_fix_behind_a_reference_to_another_file_is_offered_where_it_is_applied() -> None:
    shared = "toolgen: 1\ntypes:\n  Login: {user: string, password: string}\n  State: {enum: [open, open]}\n"
    text = (
        "toolgen: 1\ntoolset: shop\ntypes:\n  Login: {$ref: 'shared.yaml#/types/Login'}\n"
        "  State: {$ref: 'shared.yaml#/types/State'}\ntools:\n  login:\n    description: Opens a session.\n"
        "    args: {password: {$ref: '#/types/Login'}, login: Login, state: State}\n"
    )
    files = [SpecFile(path, each, node(each, path)) for path, each in (("a.yaml", text), ("shared.yaml", shared))]
    outcome = fix(Config(Path(), (Target(),)), {Target(): files})
    assert {"TL207", "TL509"} <= {each.code for each in outcome.left.findings}
    assert (outcome.texts, outcome.left.fixes) == ({}, {})


@pytest.mark.parametrize("first", ["city: &city {form: {type: [string]}}", "city: {form: &form {type: [string]}}"])
def test_a_fix_below_an_anchor_or_an_alias_is_not_offered(first: str) -> None:
    second = "town: *city" if "&city" in first else "town: {form: *form}"
    text = (
        "toolgen: 1\ntoolset: shop\ntools:\n  find:\n    description: Search the orders.\n    permission: readonly\n"
        f"    args:\n      {first}\n      {second}\n"
    )
    assert fixed(text).texts == {}


def test_a_field_of_a_definition_beside_a_reference_is_not_marked_at_the_reference() -> None:
    text = (
        "toolgen: 1\ntoolset: shop\ntools:\n  login:\n    description: Opens a session.\n    args:\n      user:\n"
        "        $ref: '#/$defs/User'\n        $defs: {User: {type: object, properties: {password: {type: string}}}}\n"
    )
    outcome = fixed(text)
    assert "TL509" in {each.code for each in outcome.left.findings}
    assert outcome.texts == {}


@pytest.mark.parametrize(
    "items",
    [
        "      # the first\n      - args: {state: open}\n      # the second\n      - args: {state: open}\n",
        "      - args: {state: open}  # the first\n      # the second\n\n      - args: {state: open}\n",
        "      - args:\n          state: open\n      # the second\n      - args:\n          state: open\n",
    ],
)
def test_an_item_with_a_comment_is_not_removed(items: str) -> None:
    text = f"{EXAMPLES % items.rstrip()}\n      - args: {{state: paid}}\n"
    outcome = fixed(text)
    assert "TL604" in {found.code for found in outcome.left.findings}
    assert (outcome.texts, outcome.left.fixes) == ({}, {})


def test_a_value_with_a_comment_is_not_removed_and_a_keyword_not_put_below_one() -> None:
    head = "toolgen: 1\ntoolset: shop\ntools:\n  sign_in:\n    description: Opens a session.\n    args:\n      state:\n"
    enum = (
        "        description: Which to find.\n        enum:\n        - a\n        # again\n        - a\n        - b\n"
    )
    secret = "      password:\n        # at least eight characters\n        type: string\n"
    outcome = fixed(f"{head}{enum}{secret}")
    assert (outcome.texts, outcome.left.fixes) == ({}, {})
    assert {"TL207", "TL509"} <= {each.code for each in outcome.left.findings}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Write `a  b`  here. ", "Write `a  b` here."),
        ("Write ``a ` b  c``  or  `  d`.", "Write ``a ` b  c`` or `  d`."),
        ("Write ` a  b.", "Write ` a b."),
    ],
)
def test_blanks_in_code_are_left(before: str, after: str) -> None:
    text = "toolgen: 1\ntoolset: shop\ntools:\n  find:\n    description: %s\n    permission: readonly\n"
    assert fixed(text % f'"{before}"').texts == {"a.yaml": text % after}
    kept = text % '"Write `a  b` here."'
    assert fixed(kept).texts == {}
