"""The store, compiled once and loaded again for each test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.adapters.shop import PACKAGE, write_package
from toolgen.runtime import Catalog, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="session")
def load_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Catalog]]:
    folder = tmp_path_factory.mktemp("store")
    write_package(folder)
    sys.path.insert(0, str(folder))
    yield lambda: load(PACKAGE)
    sys.path.remove(str(folder))
