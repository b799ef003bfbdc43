"""Lists of tools: what in a page is no tool of MCP, so that it costs the others nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from mcp_types import ListToolsResult
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from toolgen.schema.json_values import is_array, is_object

_MOST_FAULTS: Final = 5
"""Faults of a tool that are kept; the first one is enough to leave it out."""


@dataclass(frozen=True)
class Malformed:
    """A member of a list that is no tool of MCP. `faults` are the paths in it, and what is wrong there."""

    tool: Any
    faults: tuple[tuple[tuple[str | int, ...], str], ...]

    @property
    def name(self) -> str:
        """Its name; empty without one."""
        name = self.tool.get("name") if is_object(self.tool) else None
        return name if isinstance(name, str) else ""

    @property
    def reason(self) -> str:
        """The first fault in one line."""
        path, fault = self.faults[0]
        return f"{'.'.join(map(str, path))}: {fault}" if path else fault

    @cached_property
    def size(self) -> int:
        """Its bytes as JSON."""
        return len(json.dumps(self.tool))


def without_malformed(result: dict[str, Any], version: str) -> tuple[dict[str, Any], list[Malformed]]:
    """Return a result of `tools/list` without what is no tool of a version of MCP, and that.

    The SDK refuses a whole page for one member. A result in which something else is wrong is returned as it is.
    """
    members = result.get("tools")
    if not is_array(members):
        return result, []
    faults: dict[int, list[tuple[tuple[str | int, ...], str]]] = {}
    try:
        validate_server_result("tools/list", version, result)
        ListToolsResult.model_validate(result, by_name=False)
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False, include_input=False):
            match each["loc"]:
                case ("tools", int(index), *path):
                    found = faults.setdefault(index, [])
                    if len(found) < _MOST_FAULTS:
                        found.append((tuple(path), each["msg"]))
                case _:
                    return result, []
    if not faults:
        return result, []
    kept = [member for index, member in enumerate(members) if index not in faults]
    rest, more = without_malformed({**result, "tools": kept}, version)  # that pass only the first of both checks
    return rest, [*(Malformed(members[index], tuple(faults[index])) for index in sorted(faults)), *more]
