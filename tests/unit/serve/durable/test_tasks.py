"""Tasks: a long call is one for clients that have the extension, whichever server they ask."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import pytest
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Request, RequestParams, Result

from tests.unit.serve.test_permission import Person, accepted, denied_with
from tests.unit.serve.test_tools import exists, text_of
from toolgen.serve.durable import TASKS

if TYPE_CHECKING:
    from tests.unit.serve.durable.conftest import Durable

pytestmark = pytest.mark.xdist_group("serve")


class Task(Result):
    """The handle of a task, as a call returns it."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    ttl_ms: int | None
    poll_interval_ms: int


class State(Result):
    """A task, as `tasks/get` returns it."""

    task_id: str
    status: str
    status_message: str | None = None
    input_requests: dict[str, Any] | None = None
    result: dict[str, Any] | None = None


class Params(RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class TaskRequest(Request[Params, str]):
    name_param: ClassVar[str | None] = "taskId"


class Tasks(ClientExtension):
    """A client that has tasks, and keeps the handle for the test."""

    identifier = TASKS

    def claims(self) -> Any:
        return [ResultClaim(result_type="task", model=Task, resolve=self.resolve)]

    async def resolve(self, task: Task, _context: ClaimContext) -> CallToolResult:
        raise AssertionError(task)  # the tests take the handle


async def ask(client: Any, method: str, task_id: str, **more: Any) -> State:
    params = Params(task_id=task_id, **more)
    answer: Any = State if method == "tasks/get" else Result
    found: State = await client.session.send_request(TaskRequest(method=method, params=params), answer)
    return found


async def until(client: Any, task_id: str, *statuses: str) -> State:
    async with asyncio.timeout(30):
        while (state := await ask(client, "tasks/get", task_id)).status not in statuses:
            await asyncio.sleep(0.1)
        return state


async def handle(client: Any, name: str, args: dict[str, Any]) -> Task:
    task = await client.session.call_tool(name, args, allow_claimed=True)
    assert isinstance(task, Task)
    assert (task.status, task.ttl_ms, task.poll_interval_ms) == ("working", None, 1000)
    return task


def test_a_long_call_is_a_task_that_any_server_knows(durable: Durable, unique: str) -> None:
    name = f"task-{unique}"
    first = durable.serve()

    async def body() -> None:
        async with durable.client(first, extensions=[Tasks()]) as client:
            assert TASKS in (client.server_capabilities.extensions or {})
            quick = await client.session.call_tool("team__jobs__who", {}, allow_claimed=True)
            assert isinstance(quick, CallToolResult)
            task = await handle(client, "team__jobs__wait", {"name": name, "seconds": 3})
        first.process.kill()
        async with durable.client(durable.servers[1], extensions=[Tasks()]) as client:
            state = await until(client, task.task_id, "completed")
            assert state.result is not None
            assert state.result["structuredContent"] == {"waited": 3}
            assert state.result["isError"] is False
            await ask(client, "tasks/cancel", task.task_id)  # too late, and no error
            assert (await ask(client, "tasks/get", task.task_id)).status == "completed"

    asyncio.run(body())


def test_a_task_is_cancelled(durable: Durable, unique: str) -> None:
    name = f"stopped-{unique}"

    async def body() -> None:
        async with durable.client(durable.servers[0], extensions=[Tasks()]) as client:
            task = await handle(client, "team__jobs__wait", {"name": name, "seconds": 30})
        async with durable.client(durable.servers[1], extensions=[Tasks()]) as client:
            await ask(client, "tasks/cancel", task.task_id)
            assert (await until(client, task.task_id, "cancelled")).result is None
            await exists(durable.project.folder / f"{name}.cancelled")

    asyncio.run(body())


def test_what_a_task_asks_is_answered_by_the_client_or_by_an_approval(durable: Durable, unique: str) -> None:
    args = {"book": f"task-{unique}", "text": "x"}

    async def body() -> None:
        async with durable.client(durable.servers[0], extensions=[Tasks()]) as client:  # which cannot ask
            task = await handle(client, "team__notes__add", args)
            state = await ask(client, "tasks/get", task.task_id)
            assert state.status == "working"
            assert f"toolgen runs approve {task.task_id}" in str(state.status_message)
        person = Person()
        async with durable.client(durable.servers[1], extensions=[Tasks()], elicitation_callback=person) as client:
            state = await until(client, task.task_id, "input_required")
            ((question, form),) = (state.input_requests or {}).items()
            assert form["method"] == "elicitation/create"
            assert "team.notes.add asks to run" in form["params"]["message"]
            answer = accepted("allow_once").model_dump(mode="json", by_alias=True)
            with pytest.raises(MCPError, match="unknown is no open question of this call"):
                await ask(client, "tasks/update", task.task_id, input_responses={"unknown": answer})
            wrong = denied_with('{"book": 1, "text": "y"}').model_dump(mode="json", by_alias=True)
            with pytest.raises(MCPError, match="the proposal cannot be given: /book: ") as refused:
                await ask(client, "tasks/update", task.task_id, input_responses={question: wrong})
            assert refused.value.error.code == -32602
            assert (await ask(client, "tasks/get", task.task_id)).status == "input_required"
            await ask(client, "tasks/update", task.task_id, input_responses={question: answer})
            decline = accepted("deny").model_dump(mode="json", by_alias=True)
            with pytest.raises(
                MCPError, match=f"{question} of {task.task_id} was answered before: allow_once for team"
            ):
                await ask(client, "tasks/update", task.task_id, input_responses={question: decline})
            state = await until(client, task.task_id, "completed")
            assert (state.result or {})["structuredContent"]["count"] == 1

    asyncio.run(body())


def test_tasks_are_for_their_user_and_for_clients_that_have_them(durable: Durable, unique: str) -> None:
    args = {"name": f"own-{unique}", "seconds": 4}

    async def body() -> None:
        async with durable.client(durable.servers[0], extensions=[Tasks()]) as client:
            task = await handle(client, "team__jobs__wait", args)
            with pytest.raises(MCPError, match="there is no such call"):
                await ask(client, "tasks/get", "call_0")
        async with durable.client(durable.servers[0], "bo", extensions=[Tasks()]) as stranger:
            for method in ("tasks/get", "tasks/cancel", "tasks/update"):
                with pytest.raises(MCPError, match="there is no such call") as refused:
                    await ask(stranger, method, task.task_id, input_responses={})
                assert refused.value.error.code == -32602
        async with durable.client(durable.servers[0]) as plain:
            with pytest.raises(MCPError, match="has not declared") as refused:
                await ask(plain, "tasks/get", task.task_id)
            assert refused.value.error.code == -32021
            waited = await plain.call_tool("team__jobs__wait", {**args, "seconds": 3})  # longer than a task would
            assert waited.structured_content == {"waited": 3}
            failed = await plain.call_tool("team__jobs__fail", {})
            assert failed.is_error
            assert text_of(failed)
        async with durable.client(durable.servers[0], mode="legacy", extensions=[Tasks()]) as old:
            with pytest.raises(MCPError, match="tasks are of the revision 2026-07-28"):
                await ask(old, "tasks/get", task.task_id)

    asyncio.run(body())
