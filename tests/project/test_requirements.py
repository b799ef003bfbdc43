"""Every requirement has a test with its id in its name, `test_goa_28_invalid_payload_…`, and each of these asserts."""

from __future__ import annotations

import ast
import re

from tests.project.checkout import sources


def _numbers(first: int, last: int) -> list[str]:
    return [f"{number:02}" for number in range(first, last + 1)]


MET = {
    "UAC": _numbers(1, 63),
    "TUS": _numbers(1, 26),
    "GOA": _numbers(1, 38),
    "REG": _numbers(1, 98),
    "TEL": _numbers(1, 34),
}


def test_every_met_requirement_has_a_test() -> None:
    carried = {
        f"{series.upper()}-{number}"
        for file in sources("tests")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for series, numbers in re.findall(r"_(uac|tus|goa|tel|reg)((?:_\d\d)+)(?=_|$)", node.name)
        for number in numbers.strip("_").split("_")
    }
    met = [f"{series}-{number}" for series, numbers in MET.items() for number in numbers]
    assert [requirement for requirement in met if requirement not in carried] == []
