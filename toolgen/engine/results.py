"""Results of calls as JSON, whole: what a run without a planner keeps of its calls."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.records import Bounds, ContentBlock, FailureKind, Issue, ToolError, ToolResult
from toolgen.schema.json_values import value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.engine.requests import Json

_OBJECTS: Final = ("audit", "telemetry", "server_data", "metadata")


def result_as_json(result: ToolResult[Any]) -> Json:
    """Return a result of the pipeline as a JSON object, without fields that have their default.

    The typed value is left out, because the payload has it, and so is the exception of an error.
    """
    fields: Json = {"tool_name": result.tool_name, "tool_call_id": result.tool_call_id}
    if result.payload:
        fields["payload"] = result.payload.decode()
    if result.error is not None:
        fields["error"] = asdict(result.error)
    if result.blocks:
        fields["blocks"] = [{"type": block.type, "data": block.data} for block in result.blocks]
    if result.message is not None:
        fields["message"] = result.message
    if result.side_effects:
        fields["side_effects"] = list(result.side_effects)
    if result.bounds is not None:
        fields["bounds"] = asdict(result.bounds)
    return fields | {name: dict(value) for name in _OBJECTS if (value := getattr(result, name))}


def result_from_json(fields: Mapping[str, Any]) -> ToolResult[Any]:
    """Return the result that `result_as_json` wrote; its value is plain JSON.

    Raises KeyError, TypeError or ValueError for anything else.
    """
    given = dict(fields)
    if "payload" in given:
        given["value"] = value_of(given["payload"])
        given["payload"] = given["payload"].encode()
    if "error" in given:
        given["error"] = _error(given["error"])
    if "bounds" in given:
        given["bounds"] = Bounds(**given["bounds"])
    given["blocks"] = tuple(ContentBlock(**block) for block in given.get("blocks", ()))
    given["side_effects"] = tuple(given.get("side_effects", ()))
    return ToolResult(**given)


def _error(fields: Mapping[str, Any]) -> ToolError:
    issues = tuple(Issue(**issue) for issue in fields["issues"])
    return ToolError(**{**fields, "kind": FailureKind(fields["kind"]), "issues": issues})
