"""The shape of the code: who imports whom, how long a module is, how it is spelt."""

from __future__ import annotations

import tokenize
from typing import TYPE_CHECKING

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.project.checkout import ROOT, sources

if TYPE_CHECKING:
    from pathlib import Path

LONGEST = 400


def test_imports_keep_the_contracts_of_pyproject() -> None:
    assert lint_imports(str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True) == EXIT_STATUS_SUCCESS


def test_no_module_is_too_long() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in sources("toolgen")
    }
    assert {file: lines for file, lines in lengths.items() if lines > LONGEST} == {}


def test_identifiers_are_ascii() -> None:
    files = sources("toolgen", "tests", "benchmarks", "docs")
    assert [place for file in files for place in _odd_identifiers(file)] == []


def _odd_identifiers(file: Path) -> list[str]:
    with tokenize.open(file) as text:
        names = [token for token in tokenize.generate_tokens(text.readline) if token.type == tokenize.NAME]
    place = file.relative_to(ROOT)
    return [f"{place}:{name.start[0]}: {name.string}" for name in names if not name.string.isascii()]
