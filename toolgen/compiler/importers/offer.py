"""Offer: the tools that an importer found at a source, in the terms of a spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool. `name` is its name at the source.

    `spec` are the keys of a spec that the source determines. `hints` are keys that it only suggests: they are written
    once, and from then on belong to the people who edit the spec.
    """

    name: str
    spec: Mapping[str, Any]
    hints: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of a source.

    `left_out` are the names of broken tools, which were reported; `warnings` counts warnings of a later build, by code.
    `others` are the names of what the source has beside tools, by kind, such as the prompts of an MCP server.
    """

    tools: tuple[OfferedTool, ...]
    left_out: tuple[str, ...]
    warnings: Counter[str]
    instructions: str = ""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
