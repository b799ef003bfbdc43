"""Generated packages: specs compiled into a folder that is on the import path during a test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.unit.compiler.specs import resolved
from toolgen.compiler.emit import emit

if TYPE_CHECKING:
    from pathlib import Path

Generate = Callable[..., str]
"""Takes the texts of spec files, as `resolved` does, and returns the import name of their package."""

_numbers = count()


@pytest.fixture
def generate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Generate]:
    """Compile specs without errors."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made: set[str] = set()

    def compiled(*texts: str, **files: str) -> str:
        name = f"generated_{next(_numbers)}"
        found = resolved(*texts, **files)
        assert not found.has_errors, found.messages
        for path, text in emit(found.catalog).items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        made.add(name)
        return name

    yield compiled
    for module in [module for module in sys.modules if module.partition(".")[0] in made]:
        del sys.modules[module]
