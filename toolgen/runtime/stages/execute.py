"""Execute: what the tool's executor gives, awaited if need be; what it raises is an error of this call alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.result import tool_error_from_error

if TYPE_CHECKING:
    from toolgen.contract.records import ToolError
    from toolgen.runtime.call import Call, Host, Stage, Tool


def bind(tool: Tool, _host: Host) -> Stage:
    """Make the stage that runs the tool."""
    run = tool.run

    async def execute(call: Call) -> ToolError | None:
        try:
            outcome = run(call)
            # Asked of the class: a model that keeps extra keys could have one of that name.
            call.outcome = await outcome if hasattr(outcome.__class__, "__await__") else outcome
        except Exception as error:  # noqa: BLE001  # handlers are the host's, and may raise anything
            return tool_error_from_error(error)
        return None

    return execute
