"""Checkout: the location of the project's files, and which of them are source files."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GENERATED = (ROOT / "generated", ROOT / "toolgen" / "toolsets" / "generated", ROOT / "tests" / "cases")


def sources(*folders: str) -> list[Path]:
    """List the Python files in these folders of the checkout, without generated ones."""
    found = (file for folder in folders for file in sorted((ROOT / folder).rglob("*.py")))
    return [file for file in found if not any(file.is_relative_to(folder) for folder in GENERATED)]


@cache
def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a module, which nobody changes.

    To parse all modules takes seconds: tests of all of them have the mark `xdist_group("source")`, and do it once.
    """
    return ast.parse(text)


def pyproject() -> dict[str, Any]:
    """Read pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
