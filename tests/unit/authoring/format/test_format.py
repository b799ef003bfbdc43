"""Formatting of specs: order, quotes, blank lines, comments in place; every spec of the repository."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from tests.unit.authoring.format.test_properties import node
from tests.unit.compiler.specs import resolved
from toolgen.authoring.format.format import formatted
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.ir.text import catalog_text
from toolgen.compiler.source.read import parse

if TYPE_CHECKING:
    from pathlib import Path

SHARED = ROOT.parent / "shared"
SPECS = sorted(
    path
    for folder in (ROOT / "specs", ROOT / "tests" / "cases", SHARED / "specs")
    for path in folder.rglob("*")
    if path.suffix in (".yaml", ".yml", ".json") and "specs" in path.parts and "expected" not in path.parts
)


def formatted_text(text: str, path: str = "a.yaml") -> str:
    text = dedent(text).lstrip("\n")
    return formatted(path, text, node(text, path))


def test_keys_take_the_order_of_the_spec_language_and_comments_move_with_them() -> None:
    assert formatted_text("""
        # About the file.
        toolgen: 1

        tools:
          find:
            confirm: "Really?"
            # what it takes
            args: {b: string, a: string}   # in this order
            description: 'Find: one.'
        kind: service
        # the name
        toolset: shop
    """) == dedent("""\
        # About the file.
        toolgen: 1
        # the name
        toolset: shop
        kind: service

        tools:
          find:
            description: "Find: one."
            # what it takes
            args: {b: string, a: string}  # in this order
            confirm: Really?
        """)


def test_comments_above_a_blank_line_at_the_start_are_about_the_file() -> None:
    assert formatted_text("""
        # About the file.

        # the name
        toolset: shop
        # the version

        toolgen: 1
    """) == dedent("""\
        # About the file.

        # the version

        toolgen: 1
        # the name
        toolset: shop
        """)


def test_tools_of_several_lines_are_divided_by_one_blank_line() -> None:
    text = formatted_text("""
        toolgen: 1
        toolset: shop
        tools:
          a: {description: One.}
          b: {description: Two.}
          c:
            description: Three.
          # above d


          d: {description: Four.}
    """)
    assert text.partition("tools:\n")[2] == dedent("""\
          a: {description: One.}
          b: {description: Two.}

          c:
            description: Three.

          # above d

          d: {description: Four.}
        """).replace("\n", "\n  ").removesuffix("  ").replace("  \n", "\n").replace("a: ", "  a: ", 1)


def test_text_on_several_lines_keeps_its_value() -> None:
    text = formatted_text(r"""
        toolgen: 1
        toolset: shop
        description: "One line.\nAnother line."
        tools:
          a:
            description: >-
                folded text
                stays folded
            reminder: plain text that
              goes on
    """)
    assert "description: |-\n  One line.\n  Another line.\n" in text
    assert "    description: >-\n      folded text\n      stays folded\n" in text
    assert "    reminder: plain text that goes on\n" in text


def test_collections_in_brackets_stay_so_where_they_fit_and_have_no_comments() -> None:
    text = formatted_text("""
        a: {b: 1,
            c: [2, 3]}
        d: {e: 1, # why
            f: 2}
        g:
            - h: 1
              i: 2
    """)
    assert text == dedent("""\
        a: {b: 1, c: [2, 3]}
        d:
          e: 1  # why
          f: 2
        g:
          - h: 1
            i: 2
        """)


def test_an_alias_never_comes_before_its_anchor() -> None:
    text = formatted_text("""
        toolgen: 1
        toolset: shop
        tools:
          a:
            reminder: &text Say it.
            description: *text
    """)
    assert text.index("&text") < text.index("*text")
    assert "    reminder: &text Say it.\n    description: *text\n" in text


def test_numbers_and_large_integers_stay_as_they_are_written() -> None:
    text = "a: 1.10\nb: 0x1F\nc: 123456789012345678901234567890\nd: 1e3\ne: 012\n"
    assert formatted_text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "%YAML 1.2\n--- # doc\na: !!str 5 # c\nb: !!float 1\nc: &x {k: v}\nd: *x\n...\n# end\n",
            '# doc\na: "5"  # c\nb: 1.0\nc: &x {k: v}\nd: *x\n# end\n',
        ),
        ("a: 1\r\nb: # c\r\n  - x\r\n  # e\r\n\r\n\r\nc: 2\r\n", "a: 1\r\nb:  # c\r\n  - x\r\n  # e\r\n\r\nc: 2\r\n"),
        ("&k a: &v 5\nb: *k\nc: *v\n", "&k a: &v 5\nb: *k\nc: *v\n"),
        ("a: >+\n    folded\n    more\n\n\n", "a: >+\n  folded\n  more\n\n\n"),
        ("-   c: 1\n    d: 2\n-\n    - b\n    # in\n", "- c: 1\n  d: 2\n- - b\n  # in\n"),
        ("a: ~\nb: Null\nc: TRUE\nd:\ne: {f: }\n", "a: null\nb: null\nc: true\nd:\ne: {f: null}\n"),
        ("a:\n  # why\n  value # what\n", "# why\na: value  # what\n"),
        ('"just  text"\n', "just  text\n"),
    ],
)
def test_one_form_for_what_yaml_writes_in_many(text: str, expected: str) -> None:
    assert formatted_text(text) == expected
    assert formatted_text(expected) == expected


def test_json_is_ordered_and_indented() -> None:
    text = '{"tools": {"a": {"args": {"b": 1.10}, "description": "é"}}, "toolset": "shop", "toolgen": 1}'
    assert formatted_text(text, "a.json") == dedent("""\
        {
          "toolgen": 1,
          "toolset": "shop",
          "tools": {
            "a": {
              "description": "é",
              "args": {
                "b": 1.10
              }
            }
          }
        }
        """)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: "/".join(path.parts[-3:]))
@pytest.mark.variants(100)
def test_every_spec_is_stable_and_compiles_to_the_same(path: Path) -> None:
    name = path.name
    text = path.read_bytes()
    sink = Diagnostics()
    root = parse(text, name, sink)
    if root is None or sink.has_errors:
        return  # a case of a syntax error
    before = text.decode("utf-8").removeprefix("\ufeff")

    once = formatted(name, before, root)

    assert formatted(name, once, node(once, name)) == once
    assert _ir(name, once) == _ir(name, before)


def _ir(name: str, text: str) -> str:
    """Return the IR of one file alone, or its errors without their places."""
    found = resolved(**{name: text})
    return "\n".join(sorted(found.codes)) if found.has_errors else catalog_text(found.catalog)
