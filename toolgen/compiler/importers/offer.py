"""Offer: the tools that an importer found at their source, whatever that was, in the words of a spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool. `name` is what it is called at its source.

    `spec` are the keys of a spec that the source decides. `hints` are those it only hints at: they are written once,
    and belong to the people who edit the spec from then on.
    """

    name: str
    spec: Mapping[str, Any]
    hints: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a source has to offer.

    `left_out` names what is broken and was reported; `warnings` counts what a build will warn of, by code.
    `instructions` are the source's own words on all its tools.
    """

    tools: tuple[OfferedTool, ...]
    left_out: tuple[str, ...]
    warnings: Counter[str]
    instructions: str = ""
