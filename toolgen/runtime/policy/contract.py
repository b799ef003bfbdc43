"""Contracts: digests of tools, by which an answer, a grant or a planned call is for one tool as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolgen.runtime.catalog.definition import ToolDefinition

_BESIDE: Final = frozenset({"package", "description", "closed", "has_handlers"})
"""What a toolset has for its code, for listings, and by its other tools."""


def contract_of(tool: ToolDefinition, toolset: Mapping[str, Any]) -> str:
    """Return a digest of a tool as it was compiled or registered: equal for the same tool, in any process and build.

    It covers the whole definition (texts, schemas, permission, tags, what runs it) and what its toolset says of all its
    tools, such as the server or the API. `toolset` is as it was compiled; empty for a tool without one.
    """
    definition = {each.name: getattr(tool, each.name) for each in fields(tool) if each.init}
    of_toolset = {key: value for key, value in toolset.items() if key not in _BESIDE}
    return digest_of_facts([definition, of_toolset])


def digest_of_facts(facts: Any) -> str:
    """Return a digest of JSON values, and of what JSON has no value for in definitions that a host registered."""
    return sha256(json.dumps(_as_json(facts), sort_keys=True).encode()).hexdigest()


def _as_json(value: Any) -> Any:
    """Return a value as JSON; what JSON has no value for is the name of its type, which no process changes."""
    items: Any = value
    if value is None or isinstance(value, str | int | float):
        return items
    if isinstance(value, Mapping):
        return {str(key): _as_json(each) for key, each in items.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in items]
    return sorted(map(str, items)) if isinstance(value, Set) else type(items).__qualname__
