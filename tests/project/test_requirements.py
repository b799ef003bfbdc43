"""Every requirement has a test with its id in its name, `test_goa_28_invalid_payload_…`, and each of these asserts."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from tests.project.checkout import sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


COUNTS: Final = {"UAC": 63, "TUS": 26, "GOA": 38, "TEL": 34, "REG": 98}
_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

REQUIREMENTS: Final = [f"{series}-{number:02}" for series, count in COUNTS.items() for number in range(1, count + 1)]


def _tests() -> Iterator[tuple[Path, _Function, list[str]]]:
    """Return every test that has ids of requirements in its name, with these ids."""
    for file, nodes in _functions():
        for node in nodes:
            if node.name.startswith("test_"):
                found = re.findall(r"_(uac|tus|goa|tel|reg)((?:_\d\d)+)(?=_|$)", node.name)
                ids = [
                    f"{series.upper()}-{number}"
                    for series, numbers in found
                    for number in numbers.strip("_").split("_")
                ]
                if ids:
                    yield file, node, ids


def test_every_requirement_has_a_test() -> None:
    carried = {each for _, _, ids in _tests() for each in ids}
    assert [each for each in REQUIREMENTS if each not in carried] == []
    assert sorted(carried - {*REQUIREMENTS}) == []
    assert len(REQUIREMENTS) == 259


def test_every_test_of_a_requirement_asserts() -> None:
    """By itself, or by a function that it calls, whose name is found in the tests."""
    functions = [node for _, nodes in _functions() for node in nodes]
    called = {id(node): _calls(node) for node in functions}
    asserting = {node.name for node in functions if _asserts(node)}
    for _ in range(3):  # functions that call those
        asserting |= {node.name for node in functions if called[id(node)] & asserting}
    silent = [
        f"{file.name}: {node.name}" for file, node, _ in _tests() if not _asserts(node) and not _calls(node) & asserting
    ]
    assert silent == []


@cache
def _functions() -> list[tuple[Path, list[_Function]]]:
    """Return the functions of all tests and of what they share, by file."""
    return [
        (file, [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)])
        for file in sources("tests")
        for tree in (ast.parse(file.read_text(encoding="utf-8")),)
    ]


def _asserts(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Assert) or (isinstance(each, ast.Call) and ast.unparse(each.func) == "pytest.raises")
        for each in ast.walk(node)
    )


def _calls(node: ast.AST) -> set[str]:
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return {
        each.id if isinstance(each, ast.Name) else each.attr
        for each in called
        if isinstance(each, ast.Name | ast.Attribute)
    }
