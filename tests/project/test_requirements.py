"""Every requirement that is met has a test that carries its id in its name: `test_goa_28_invalid_payload_…`."""

from __future__ import annotations

import ast
import re

from tests.project.checkout import sources

MET = {
    "UAC": "02 03 04",
    "GOA": "01 02 03 04 05 06 07 08 14 16 17 18 25 26 27 28 29 30 31 32 33 34 35 36",
    "REG": "03 04 06 07 08 11 12 13 14 16 17",
    "TEL": "01 02 03 18",
}


def test_every_met_requirement_has_a_test() -> None:
    carried = {
        f"{series.upper()}-{number}"
        for file in sources("tests")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        for series, number in re.findall(r"_(uac|tus|goa|tel|reg)_(\d\d)(?=_|$)", node.name)
    }
    met = [f"{series}-{number}" for series, numbers in MET.items() for number in numbers.split()]
    assert [requirement for requirement in met if requirement not in carried] == []
