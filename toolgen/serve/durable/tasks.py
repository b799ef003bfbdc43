"""The extension of tasks (SEP-2663, `io.modelcontextprotocol/tasks`): a durable call, looked at, answered, cancelled.

The id of a task is that of the run of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    InputResponses,
    RequestParams,
)

from toolgen.engine.calls import call_result
from toolgen.serve.asking import can_ask, fields_of, is_modern
from toolgen.serve.durable.calls import TASKS, approve_hint, form_of, has_tasks, task_of

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

    from toolgen.serve.durable.calls import DurableCalls


class TaskParams(RequestParams):
    """What `tasks/get` and `tasks/cancel` take."""

    task_id: str


class UpdateTaskParams(TaskParams):
    """What `tasks/update` takes: answers by the keys of their questions."""

    input_responses: InputResponses


def add_tasks(protocol: Server[Any], calls: DurableCalls) -> None:
    """Let a server answer requests about tasks."""

    async def get(ctx: ServerRequestContext[Any, Any], params: TaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        task = task_of(info)
        if info.state == "cancelled":
            return {**task, "status": "cancelled"}
        if info.state == "ended":
            result = await call_result(calls.engine, info.run_id)
            return {**task, "status": "completed", "result": calls.answer_of(result, modern=True)}
        if info.state == "failed":
            failed = await call_result(calls.engine, info.run_id)
            message = "" if failed.error is None else failed.error.message
            error = {"code": INTERNAL_ERROR, "message": message}
            return {**task, "status": "failed", "statusMessage": message, "error": error}
        asked = await calls.engine.approvals(info.run_id)
        if asked and can_ask(ctx):
            forms = {each.id: form_of(each).model_dump(mode="json", by_alias=True, exclude_none=True) for each in asked}
            return {**task, "status": "input_required", "inputRequests": forms}
        return {**task, "statusMessage": approve_hint(info.run_id)} if asked else task

    async def update(ctx: ServerRequestContext[Any, Any], params: UpdateTaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        for question, answer in params.input_responses.items():
            await calls.answer(info.run_id, question, fields_of(answer))
        return {}

    async def cancel(ctx: ServerRequestContext[Any, Any], params: TaskParams) -> dict[str, Any]:
        _check(ctx)
        info = await calls.owned(params.task_id)
        if info.state not in ("ended", "failed", "cancelled"):
            await calls.engine.cancel(info.run_id)
        return {}

    protocol.extensions[TASKS] = {}
    protocol.add_request_handler("tasks/get", TaskParams, get)
    protocol.add_request_handler("tasks/update", UpdateTaskParams, update)
    protocol.add_request_handler("tasks/cancel", TaskParams, cancel)


def _check(ctx: ServerRequestContext[Any, Any]) -> None:
    """Raises MCPError where the client has not declared the extension with the request, as it must."""
    if not is_modern(ctx):
        raise MCPError(code=METHOD_NOT_FOUND, message="tasks are of the revision 2026-07-28")
    if not has_tasks(ctx):
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message=f"the client has not declared {TASKS}",
            data={"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )
