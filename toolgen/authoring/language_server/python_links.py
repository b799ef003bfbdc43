"""Python links: from the names of generated code to the specs that they come from, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.project.config import Target

_NAME_BEFORE: Final = re.compile(r"[\w.]*$")
_NAME_AFTER: Final = re.compile(r"^(\w*)([\w.]*)")
_LARGEST: Final = 2_000_000
"""Maximum size in characters of a Python file that is searched."""


@dataclass(frozen=True, slots=True)
class GeneratedTool:
    """What generated code calls a tool: its package, the constant of its ident, and all names that are only its own."""

    ident: str
    package: tuple[str, ...]
    constant: str
    names: frozenset[str]


def generated_tools(catalog: Catalog) -> tuple[GeneratedTool, ...]:
    """Return what generated code calls each tool of a catalog."""
    return tuple(
        GeneratedTool(tool.ident, tuple(toolset.package), tool.names.constant, frozenset(tool.names.claimed))
        for toolset in catalog.toolsets
        for tool in toolset.tools
    )


def idents_at(text: str, offset: int, tools: Iterable[GeneratedTool], module: str = "") -> list[str]:
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
    tools = list(tools)
    by_ident = [tool.ident for tool in tools if tool.ident == written]
    if by_ident:
        return by_ident
    qualifier, _, name = (before[0] + after[1]).rpartition(".")
    found = [tool for tool in tools if name in tool.names]
    if len(found) > 1:
        found = [tool for tool in found if _is_meant(tool.package, qualifier, text, module)] or found
    return [tool.ident for tool in found]


def generated_places(
    root: Path, target: Target, tools: Iterable[GeneratedTool], ident: str
) -> Iterator[tuple[Path, int, int]]:
    """Yield where generated code defines the constant of a tool: the file, and the start and end of its name."""
    for tool in tools:
        if tool.ident == ident:
            path = root.joinpath(target.out, *tool.package, "__init__.py")
            found = re.search(rf"^{tool.constant}\b", _read(path), re.MULTILINE)
            if found:
                yield path, found.start(), found.end()


def _is_meant(package: tuple[str, ...], qualifier: str, text: str, module: str) -> bool:
    name, parent, last = ".".join(package), ".".join(package[:-1]), package[-1]
    if module:
        return f"{module}.".startswith(f"{name}.")
    if qualifier:
        alias = re.search(rf"\b{re.escape(last)} as {re.escape(qualifier)}\b", text)
        return qualifier.rpartition(".")[2] == last or alias is not None
    imported = rf"\bfrom \S*{re.escape(name)}\b|\bfrom \S*{re.escape(parent)} import .*\b{last}\b"
    return re.search(imported, text) is not None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
