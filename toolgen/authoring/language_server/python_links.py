"""Python links: from the names of generated code to the specs that they come from, and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolgen.compiler.config import Target
    from toolgen.compiler.ir.catalog import Catalog, Tool, Toolset

_NAME_BEFORE: Final = re.compile(r"[\w.]*$")
_NAME_AFTER: Final = re.compile(r"^(\w*)([\w.]*)")
_LARGEST: Final = 2_000_000
"""Maximum size in characters of a Python file that is searched."""


def idents_at(text: str, offset: int, catalog: Catalog, module: str = "") -> list[str]:
    """Return the idents of the tools that a name or text at an offset of Python code means.

    Such a name is the constant, class, builder or method of a tool. Of several tools with that name, those count whose
    package is named before the dot, or is imported in the file; `module` is the file's own module, if it is generated.
    """
    if len(text) > _LARGEST:
        return []
    before, after = _NAME_BEFORE.search(text, 0, offset), _NAME_AFTER.search(text[offset:])
    assert before is not None
    assert after is not None
    written = (before[0] + after[0]).strip(".")
    by_ident = [tool.ident for tool in catalog.tools if tool.ident == written]
    if by_ident:
        return by_ident
    qualifier, _, name = (before[0] + after[1]).rpartition(".")
    found = [(toolset, tool) for toolset in catalog.toolsets for tool in toolset.tools if name in tool.names.claimed]
    if len(found) > 1:
        near = [(toolset, tool) for toolset, tool in found if _is_meant(toolset, tool, qualifier, text, module)]
        found = near or found
    return [tool.ident for _, tool in found]


def generated_places(root: Path, target: Target, catalog: Catalog, ident: str) -> Iterator[tuple[Path, int, int]]:
    """Yield where generated code defines the constant of a tool: the file, and the start and end of its name."""
    for toolset in catalog.toolsets:
        for tool in toolset.tools:
            if tool.ident == ident:
                path = root.joinpath(target.out, *toolset.package, "idents.py")
                found = re.search(rf"^{tool.names.constant}\b", _read(path), re.MULTILINE)
                if found:
                    yield path, found.start(), found.end()


def _is_meant(toolset: Toolset, tool: Tool, qualifier: str, text: str, module: str) -> bool:
    package = ".".join(toolset.package)
    if module:
        return f"{module}.".startswith(f"{package}.")
    last = toolset.package[-1]
    if qualifier:
        alias = re.search(rf"\b{re.escape(last)} as {re.escape(qualifier)}\b", text)
        return qualifier.rpartition(".")[2] == last or alias is not None
    parent = ".".join(toolset.package[:-1])
    return (
        re.search(rf"\bfrom \S*{re.escape(package)}\b|\bfrom \S*{re.escape(parent)} import .*\b{last}\b", text)
        is not None
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
