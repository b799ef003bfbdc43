"""A run of five calls, twice: as a run of an agent, and as a workflow of plain DBOS that does the same steps.

Both ask the same planner before each call and after the last, validate the same args, run the same empty body, and keep
each outcome as a step. The workflow of plain DBOS does no more than that: no policy, no permission, no record.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measured.cases import ARGS, RESULT, TOOL, plain_runtime

if TYPE_CHECKING:
    from toolgen.engine import EngineHost, RunRequest

TURNS: Final = 5
STEPS: Final = 2 * TURNS + 1
"""Steps of a run: a plan and a call in each turn, and the plan that has the answer."""

PROMPT: Final = "Search the issues five times."
PLAIN: Final = "plain.run"


def run_request(run_id: str) -> RunRequest:
    from toolgen.agents import Message
    from toolgen.engine import RunRequest

    return RunRequest(agent="", messages=(Message(role="user", content=PROMPT),), run_id=run_id, user="ann")


def plain_request() -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": PROMPT}]}


def host() -> EngineHost:
    """Return the host of the runs, for a folder with a package of `benchmarks.projects`."""
    from toolgen.agents import ScriptedPlanner
    from toolgen.engine import EngineHost
    from toolgen.runtime import ToolRequest, ask_before_call

    turns = [[ToolRequest(name=TOOL, payload=ARGS.decode(), tool_call_id=f"call_{turn}")] for turn in range(TURNS)]
    return EngineHost(plain_runtime(ask_before_call), ScriptedPlanner(*turns))


async def plain_run(fields: dict[str, Any]) -> dict[str, Any]:
    """Do the steps of a run with DBOS alone. It has to be registered as a workflow."""
    from dbos import DBOS

    messages: list[dict[str, Any]] = list(fields["messages"])
    while True:
        plan = await DBOS.run_step_async({"name": "plan"}, plain_plan, messages)
        if "outcome" in plan:
            return {"messages": messages, "value": plan["outcome"]}
        messages.append(plan["message"])
        for call in plan["message"]["calls"]:
            content = await DBOS.run_step_async({"name": "call"}, plain_call, call)
            messages.append(
                {"role": "tool", "content": content, "name": call["name"], "tool_call_id": call["tool_call_id"]}
            )


async def plain_plan(messages: list[dict[str, Any]]) -> dict[str, Any]:
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn == TURNS:
        return {"outcome": "done"}
    call = {"name": TOOL, "payload": ARGS.decode(), "tool_call_id": f"call_{turn}"}
    return {"message": {"role": "assistant", "content": "", "calls": [call]}}


async def plain_call(call: dict[str, Any]) -> str:
    from benchmarks.measured.pydantic_models import SearchArgs

    SearchArgs.model_validate_json(call["payload"])
    return json.dumps(RESULT)
