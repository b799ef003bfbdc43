"""A small handwritten package in the layout of a generated one, and a host that runs its tools."""

from __future__ import annotations

import importlib
import json
import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.runtime.shop import MODULES, TOOLS, TOOLSETS, WIRE_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_numbers = count(1)


class Shop:
    """The package `name`, importable during a test."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    def module(self, path: str) -> Any:
        return importlib.import_module(f"{self.name}.{path}")

    def refund_codec(self) -> Any:
        orders = self.module("shop.tools.orders")
        return orders.codecs.args(orders.REFUND)

    def type(self, name: str) -> Any:
        return getattr(self.module("shop.tools.orders.orders"), name)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    name = f"shop_{next(_numbers)}"  # packages are read once per process, so every test has its own
    folder = tmp_path / name
    write_package(folder)
    sys.path.insert(0, str(tmp_path))
    importlib.invalidate_caches()
    try:
        yield Shop(name, folder)
    finally:
        sys.path.remove(str(tmp_path))
        for module in [module for module in sys.modules if module.partition(".")[0] == name]:
            del sys.modules[module]


def write_package(folder: Path, **overrides: Any) -> None:
    document = {
        "contract": 1,
        "generator": "0.1.0",
        "formats": "annotate",
        "toolsets": TOOLSETS,
        "tools": TOOLS,
        "wire_names": WIRE_NAMES,
        "agents": {},
        "catalogs": {},
        "policies": {},
        "tags": {"billing": "Touches invoices."},
        **overrides,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "catalog.json").write_text(json.dumps(document), encoding="utf-8")
    for path, text in MODULES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
