"""Inferred: a result that differs from a schema that was inferred from calls is reported, and returned."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.redact.call_secrets import hide_issue, with_result_values
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool

RESULT_DIFFERS: Final = "result_differs"
"""The kind of the event that a call adds to the record of its run."""


def bind(tool: Tool, _host: Host) -> After | None:
    """Make the stage; None for a tool whose result schema was not inferred."""
    if not tool.definition.metadata.get("result_inferred"):
        return None
    ident, codec = tool.definition.name, tool.result

    def compare(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        try:
            codec.decode_json(result.payload)
        except InvalidPayload as error:
            secrets = with_result_values(call.secrets, json.loads(result.payload))
            issues = [hide_issue(each, secrets) for each in error.issues]
            shown = [{"pointer": each.pointer, "expected": each.expected, "found": each.found} for each in issues]
            call.report(RESULT_DIFFERS, {"issues": shown})
            first = issues[0]
            warn("the result of %s differs from its inferred schema: %s: %s", ident, first.pointer or "/", first.hint)
        return result

    return compare
