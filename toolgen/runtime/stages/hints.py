"""Hints: one line each for people, on what a call does and what came of it. They are in the metadata of its result."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.contract.visible import visible
from toolgen.runtime.text_templates import names_of, render

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.runtime.call import Call, Finish, Host, Tool


def bind(tool: Tool, _host: Host) -> Finish | None:
    """Make the stage; None for a tool without hints."""
    templates: dict[str, str] = tool.definition.metadata.get("hints", {})
    if not templates:
        return None
    secrets = {side: tool.definition.metadata.get(f"{side}_secrets", ()) for side in ("args", "result")}
    needs_result = any("result" in names_of(template) for template in templates.values())

    def hint(call: Call, result: ToolResult[Any]) -> ToolResult[Any]:
        from toolgen.runtime.redact import redact  # many patterns, and few tools have hints

        values = {"args": redact(call.args, secrets["args"])}
        if needs_result:
            values["result"] = redact(json.loads(result.payload), secrets["result"])
        hints = {name: render(template, values, escape=visible) for name, template in templates.items()}
        return replace(result, metadata={**result.metadata, "hints": hints})

    return hint
