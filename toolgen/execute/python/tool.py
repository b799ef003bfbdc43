"""A tool in Python: what a function or a tool object says of itself, and how it is called."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import to_json

from toolgen.contract.records import ToolResult

if TYPE_CHECKING:
    from toolgen.changes.tool_texts import Described
    from toolgen.contract.records import ToolCallMeta


class PythonTool(Protocol):
    """One tool in Python."""

    def describe(self) -> Described:
        """Return what the tool says of itself. Raises `CatalogError` for one that no spec can have."""
        ...

    def misfit(self, args: Set[str], /) -> str:
        """Return why a call with these args cannot run; empty if it can, as far as the signature shows."""
        ...

    async def run(self, payload: bytes | str, meta: ToolCallMeta, /) -> ToolResult[Any]:
        """Run one call, given args that fit the schema, as JSON text. Raises `InvalidPayload` for one that does not."""
        ...


def json_result(value: Any) -> ToolResult[Any]:
    """Return a value of any type as the result of a call; the runtime rejects one that JSON cannot hold."""
    if isinstance(value, ToolResult):
        result: ToolResult[Any] = value  # pyright: ignore[reportUnknownVariableType]  # isinstance knows no parameters
        return result
    try:
        return ToolResult(payload=to_json(value, by_alias=True))
    except ValueError:  # of a type that is not JSON
        return ToolResult(value=value)
