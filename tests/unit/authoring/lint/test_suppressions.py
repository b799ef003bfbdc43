"""Suppressions are about what `fmt` moves them with, so that formatting changes no finding."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit.authoring.format.test_properties import node
from tests.unit.authoring.format.written_specs import SPECS, SpecWriter
from tests.unit.authoring.lint.examples import linted
from toolgen.authoring.format.format import formatted


def found(text: str) -> list[str]:
    """Return the findings of a spec without their places; fails if it has errors."""
    outcome = linted({"a.yaml": text})
    assert not outcome.errors, (text, outcome.errors)
    return sorted(f"{each.code} {re.sub('line [0-9]+', 'line N', each.message)}" for each in outcome.findings)


def codes(text: str) -> set[str]:
    return {each.split()[0] for each in found(text)}


TOOL = "toolgen: 1\ntoolset: shop\ntools:\n  find:\n    permission: readonly\n"


@settings(max_examples=2 * settings().max_examples)
@given(st.data(), SPECS)
def test_formatting_changes_no_finding(data: Any, spec: dict[str, Any]) -> None:
    text = SpecWriter(data.draw).document(spec)
    assume(not linted({"a.yaml": text}).errors)

    assert found(formatted("a.yaml", text, node(text))) == found(text)


@pytest.mark.parametrize(
    ("tool", "is_silent"),
    [
        ("    # IGNORE\n    description: Find  orders.\n", True),
        ("    description: Find  orders.  # IGNORE\n", True),
        ("    description:\n      # IGNORE\n      Find  orders.\n", True),
        ("    description: |  # IGNORE\n      Find  orders.\n", True),
        ("    args: {}\n    description: Find orders\n      of  people.  # IGNORE\n", True),
        ("    args:\n      x: boolean\n      # IGNORE\n    description: Find  orders.\n", False),
        ("    description: Find  orders.\n    # IGNORE\n", False),
        ("    # IGNORE\n    tags: [network]\n    description: Find  orders.\n", False),
    ],
)
def test_a_suppression_is_about_the_entry_that_it_is_above_or_beside(tool: str, is_silent: bool) -> None:
    text = TOOL + tool.replace("IGNORE", "toolgen: ignore TL111 -- why")
    assert ("TL111" not in codes(text)) is is_silent
    assert ("TL001" not in codes(text)) is is_silent
    assert found(formatted("a.yaml", text, node(text))) == found(text)


@pytest.mark.parametrize(
    ("args", "is_silent"),
    [
        ("{no_archive: boolean}  # IGNORE", True),
        ("\n      # IGNORE\n      {no_archive: boolean}", True),
        ("&x  # IGNORE\n      {no_archive: boolean}", True),
        ("!!map &x\n      # IGNORE\n      {no_archive: boolean}", True),
        ("{no_archive: boolean}# IGNORE", True),
        ("{  # IGNORE\n      no_archive: boolean}", False),
        ("{\n      no_archive: boolean\n    }  # IGNORE", False),
        ("{\n      no_archive: boolean,  # IGNORE\n    }", True),
        ("{no_archive: boolean, y: {type: string, description: %s}}  # IGNORE" % ("word " * 30 + "end"), True),
        ("{\n      # about it\n      no_archive: boolean\n    }  # IGNORE", False),
        ("{\n      # IGNORE\n      no_archive: boolean}", True),
        ("  # IGNORE\n      no_archive: boolean", False),
        ("\n      # IGNORE\n      no_archive:\n        type: boolean", True),
    ],
)
def test_a_suppression_is_about_brackets_on_one_line_and_not_about_lines_below(args: str, is_silent: bool) -> None:
    text = f"{TOOL}    description: Find orders.\n    args: {args}\n"
    text = text.replace("IGNORE", "toolgen: ignore TL206 -- why")
    once = formatted("a.yaml", text, node(text))
    assert ("TL206" not in codes(text)) is is_silent
    assert found(once) == found(text)
    assert formatted("a.yaml", once, node(once)) == once


def test_a_finding_about_lines_below_a_key_is_at_the_key() -> None:
    text = (
        f"{TOOL}    description: Find orders.\n    args:\n      archive:\n        description: Which ones.\n"
        '        enum:\n        - "true"\n        - "false"\n'
    )
    (line,) = (each.span.line for each in linted({"a.yaml": text}).findings if each.code == "TL208")
    assert text.split("\n")[line - 1] == "        enum:"
    assert "TL208" not in codes(text.replace("enum:", "enum:  # toolgen: ignore TL208 -- why"))
