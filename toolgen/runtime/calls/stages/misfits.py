"""Misfits: a result that differs from a schema that is not certain is reported, and returned."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.records import ContentBlock
from toolgen.runtime.calls.misfits import RESULT_DIFFERS, answered, misfit_of
from toolgen.runtime.redact.call_secrets import hide_issue, with_result_values
from toolgen.runtime.redact.warning import warn

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool


def bind(tool: Tool, _host: Host) -> After | None:
    """Make the stage; None for a tool whose results must fit."""
    if tool.definition.has_certain_result:
        return None
    ident = tool.definition.name

    def report(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        found = misfit_of(result)
        if not found:
            return result
        secrets = with_result_values(call.secrets, json.loads(result.payload))
        issues = [hide_issue(each, secrets) for each in found]
        shown = [{"pointer": each.pointer, "expected": each.expected, "found": each.found} for each in issues]
        call.report(RESULT_DIFFERS, {"issues": shown})
        first = issues[0]
        warn("the result of %s differs from its schema: %s: %s", ident, first.pointer or "/", first.hint)
        result = replace(result, metadata={**result.metadata, RESULT_DIFFERS: shown})
        status = answered(result)
        if not status:
            return result
        note = f"[the API answered {status}, which is not the declared result: {first.pointer or '/'}: {first.hint}]"
        return replace(result, blocks=(*result.content, ContentBlock(type="text", data=note)))

    return report
