"""The front doors: the modules that programs import from, and what each of them offers, from its source."""

from __future__ import annotations

import ast
from functools import cache
from typing import Final

from tests.project.checkout import ROOT

DOORS: Final = (
    "toolgen.runtime",
    "toolgen.llm",
    "toolgen.record",
    "toolgen.execute",
    "toolgen.agents",
    "toolgen.engine",
    "toolgen.serve",
    "toolgen.explore",
    "toolgen.testing",
    "toolgen.evaluate",
    "toolgen.providers",
    "toolgen.toolsets",
    "toolgen.compiler",
    "toolgen.contract",
)
CONTRACT: Final = "toolgen.contract"
"""The door of generated code. What people use of it too is also a name of the door that they know."""


@cache
def origins(door: str) -> dict[str, str]:
    """Return the names of a door for type checkers, with the modules that they come from."""
    tree = ast.parse((ROOT / door.replace(".", "/") / "__init__.py").read_bytes())
    return {
        alias.name: node.module or ""
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@cache
def lazy_origins(door: str) -> dict[str, str]:
    """Return the names of a door when it runs, with the modules that they are imported from on use."""
    tree = ast.parse((ROOT / door.replace(".", "/") / "__init__.py").read_bytes())
    (table,) = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    found: dict[str, str] = ast.literal_eval(table)
    return {name: door + origin if origin.startswith(".") else origin for name, origin in found.items()}
