"""Requirements: the ids of those that the reference describes, and the tests that carry them in their names."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tests.project.checkout import ROOT, sources

if TYPE_CHECKING:
    from pathlib import Path

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

SOURCE: Final = ROOT / "docs" / "reference" / "requirements.intro.md"
REQUIREMENT: Final = re.compile(r"^- \*\*([A-Z]{3}-\d\d)\*\* \S.*(?:\n {2}\S.*)*", re.MULTILINE)
"""An item of the source: its id, and its text, whose further lines are indented."""


class RequirementTest(NamedTuple):
    """A test that carries ids: `test_reg_96_97_…` those of REG-96 and REG-97."""

    file: Path
    function: Function
    ids: list[str]


def requirement_ids() -> list[str]:
    """Return the ids of the source, in its order."""
    return REQUIREMENT.findall(SOURCE.read_text(encoding="utf-8"))


def requirement_tests() -> list[RequirementTest]:
    """Return every test that carries an id of a series of the source, by file and line."""
    series = "|".join(sorted({each[:3].lower() for each in requirement_ids()}))
    carried = re.compile(rf"_({series})((?:_\d\d)+)(?=_|\b)")
    return [
        RequirementTest(file, node, ids)
        for file in sources("tests")
        if carried.search(file.read_text(encoding="utf-8"))
        for node in _functions_of(file)
        if node.name.startswith("test_")
        and (
            ids := [
                f"{name.upper()}-{number}"
                for name, numbers in carried.findall(node.name)
                for number in numbers.strip("_").split("_")
            ]
        )
    ]


def functions() -> list[tuple[Path, list[Function]]]:
    """Return the functions of all tests and of what they share, by file and line."""
    return [(file, _functions_of(file)) for file in sources("tests")]


@cache
def _functions_of(file: Path) -> list[Function]:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    defined = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sorted(defined, key=lambda node: node.lineno)
