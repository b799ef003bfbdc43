"""The table of importers: each is loaded on use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toolgen.cli.importers import IMPORTERS, importer_named
from toolgen.cli.importers.importer import Importer

FOREIGN = {"mcp", "genson", "docstring_parser", "httpx2", "fastapi", "starlette"}
"""Libraries that only some importers need."""


@pytest.mark.parametrize("name", IMPORTERS)
def test_each_row_is_an_importer_of_that_name(name: str) -> None:
    made = importer_named(name)
    assert isinstance(made, Importer)
    assert made.name == name
    assert importer_named(name) is not made  # also once its module is loaded


@pytest.mark.parametrize("name", ["openapi", "python"])
def test_an_importer_loads_no_library_of_another(name: str) -> None:
    code = f"import sys; from toolgen.cli.front import run; run(['import', '{name}', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert f"toolgen.cli.importers.{name}" in loaded
    assert FOREIGN.intersection(loaded) == set()
