"""Hints: one line each for people, on what a call does and on its result. They are in the metadata of the result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.runtime.base.text_templates import names_of, render
from toolgen.runtime.redact.call_secrets import hide_args, hide_result, with_result_values
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.calls.call import After, Call, Host, Tool


def bind(tool: Tool, _host: Host) -> After | None:
    """Return the stage; None for a tool without hints."""
    templates = tool.definition.settings.hints
    if not templates:
        return None
    needs_result = any("result" in names_of(template) for template in templates.values())

    def hint(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        secrets = call.secrets
        values = {"args": hide_args(call.args, secrets)}
        if needs_result:
            value = json.loads(result.payload)
            values["result"] = hide_result(value, with_result_values(secrets, value))
        hints = {name: render(template, values, escape=visible) for name, template in templates.items()}
        return replace(result, metadata={**result.metadata, "hints": hints})

    return hint
