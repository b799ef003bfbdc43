"""Packages of cases, compiled once and imported as `compiled.<case>`."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import CASES, Case, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder on the import path with the packages of some cases."""
    folder = tmp_path_factory.mktemp("packages")
    for name in ("agents_and_exports", "transforms_that_fit", "transforms_that_do_not_fit"):
        write(folder / "compiled" / name, Case(CASES / name).compile().files)
    sys.path.insert(0, str(folder))
    yield folder / "compiled"
    sys.path.remove(str(folder))


@pytest.fixture
def imported(packages: Path) -> Callable[[str], Any]:
    """Import a module of one of the packages, by its name below `compiled`."""
    assert packages.is_dir()
    return lambda name: import_module(f"compiled.{name}")
