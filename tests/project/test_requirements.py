"""Every requirement of the reference has a test with its id in its name, `test_goa_28_…`, that asserts."""

from __future__ import annotations

import ast
import re
from itertools import groupby

from tests.project.requirements import SOURCE, functions, requirement_ids, requirement_tests


def test_every_requirement_has_a_test_and_every_id_of_a_test_is_a_requirement() -> None:
    carried = {each for test in requirement_tests() for each in test.ids}
    assert [each for each in requirement_ids() if each not in carried] == []
    assert sorted(carried - {*requirement_ids()}) == []


def test_requirements_are_numbered_without_gaps_in_each_series() -> None:
    ids = requirement_ids()
    numbers = {
        series: [int(each[4:]) for each in of_series] for series, of_series in groupby(ids, lambda each: each[:3])
    }
    assert [*numbers] == ["UAC", "TUS", "GOA", "TEL", "REG"]
    assert {series: found for series, found in numbers.items() if found != [*range(1, len(found) + 1)]} == {}
    assert sum(map(len, numbers.values())) == len(ids) >= 259


def test_every_id_in_the_text_is_that_of_a_requirement() -> None:
    named = set(re.findall(r"\b[A-Z]{3}-\d\d\b", SOURCE.read_text(encoding="utf-8")))
    assert sorted(named - {*requirement_ids()}) == []


def test_every_test_of_a_requirement_asserts() -> None:
    """By itself, or by a function that it calls, whose name is found in the tests."""
    defined = [node for _, nodes in functions() for node in nodes]
    called = {id(node): _calls(node) for node in defined}
    asserting = {node.name for node in defined if _asserts(node)}
    for _ in range(3):  # functions that call those
        asserting |= {node.name for node in defined if called[id(node)] & asserting}
    silent = [
        f"{file.name}: {node.name}"
        for file, node, _ in requirement_tests()
        if not _asserts(node) and not _calls(node) & asserting
    ]
    assert silent == []


def _asserts(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Assert) or (isinstance(each, ast.Call) and _is_raises(each.func))
        for each in ast.walk(node)
    )


def _is_raises(called: ast.expr) -> bool:
    """Whether it is `pytest.raises`."""
    return (
        isinstance(called, ast.Attribute)
        and called.attr == "raises"
        and isinstance(called.value, ast.Name)
        and called.value.id == "pytest"
    )


def _calls(node: ast.AST) -> set[str]:
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in called
        if isinstance(each, ast.Name | ast.Attribute)
    }
