"""The shape of the code: who imports whom, how long a module is, how it is spelt."""

from __future__ import annotations

import subprocess
import sys
import tokenize
from pathlib import Path

from tests.project.checkout import ROOT, sources

LONGEST = 400


def test_imports_keep_the_contracts_of_pyproject() -> None:
    # In a process of its own: it configures the logging of the whole one that it runs in.
    lint_imports = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint_imports, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


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
