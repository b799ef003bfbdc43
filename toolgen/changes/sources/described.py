"""Described tools: what a function or a tool object in Python says of itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Set


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """What a tool in Python says of itself.

    `args` is the JSON Schema of its args, an object; `result` that of its result, None where it is any JSON, and then
    `result_problem` says why, unless there is no annotation. `docstring` is one that describes the args too;
    `description` a text to show as it is. `untyped` are args without an annotation. `annotations` are MCP's hints.
    """

    name: str
    args: Mapping[str, Any]
    description: str = ""
    docstring: str = ""
    title: str = ""
    result: Any = None
    result_problem: str = ""
    untyped: tuple[str, ...] = ()
    tags: Set[str] = frozenset()
    annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
