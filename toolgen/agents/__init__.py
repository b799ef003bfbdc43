"""Agents: planners, the loop that runs them, and agents that calls start. The modules below are private."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.agents.exported import AgentExecutor as AgentExecutor
    from toolgen.agents.exported import agent_executor as agent_executor
    from toolgen.agents.loop import AgentResult as AgentResult
    from toolgen.agents.loop import planner_loop as planner_loop
    from toolgen.agents.loop import run_agent as run_agent
    from toolgen.agents.model_planner import ModelPlanner as ModelPlanner
    from toolgen.agents.planner import Message as Message
    from toolgen.agents.planner import Plan as Plan
    from toolgen.agents.planner import PlannedCalls as PlannedCalls
    from toolgen.agents.planner import Planner as Planner
    from toolgen.agents.planner import RunOutcome as RunOutcome
    from toolgen.agents.planner import ScriptedPlanner as ScriptedPlanner
    from toolgen.agents.planner import message_as_json as message_as_json
    from toolgen.agents.planner import message_from_json as message_from_json
    from toolgen.agents.runs import AgentRun as AgentRun
    from toolgen.agents.runs import RunAgent as RunAgent
    from toolgen.agents.runs import run_to_end as run_to_end
    from toolgen.agents.subscription import subscribe as subscribe
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AgentResult": ".loop",
            "planner_loop": ".loop",
            "run_agent": ".loop",
            "Plan": ".planner",
            "PlannedCalls": ".planner",
            "Planner": ".planner",
            "RunOutcome": ".planner",
            "ScriptedPlanner": ".planner",
            "ModelPlanner": ".model_planner",
            "Message": ".planner",
            "message_as_json": ".planner",
            "message_from_json": ".planner",
            "AgentExecutor": ".exported",
            "agent_executor": ".exported",
            "AgentRun": ".runs",
            "RunAgent": ".runs",
            "run_to_end": ".runs",
            "subscribe": ".subscription",
        },
    )
