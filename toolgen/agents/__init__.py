"""Agents: planners, the loop that runs them, and agents that calls start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.agents.exported import executor as executor
    from toolgen.agents.loop import AgentResult as AgentResult
    from toolgen.agents.loop import planned as planned
    from toolgen.agents.loop import run_agent as run_agent
    from toolgen.agents.messages import Message as Message
    from toolgen.agents.model_planner import ModelPlanner as ModelPlanner
    from toolgen.agents.planner import Calls as Calls
    from toolgen.agents.planner import Outcome as Outcome
    from toolgen.agents.planner import Planner as Planner
    from toolgen.agents.planner import ScriptedPlanner as ScriptedPlanner
    from toolgen.agents.runs import AgentRun as AgentRun
    from toolgen.agents.subscription import subscribe as subscribe
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AgentResult": ".loop",
            "AgentRun": ".runs",
            "Calls": ".planner",
            "Message": ".messages",
            "ModelPlanner": ".model_planner",
            "Outcome": ".planner",
            "Planner": ".planner",
            "ScriptedPlanner": ".planner",
            "executor": ".exported",
            "planned": ".loop",
            "run_agent": ".loop",
            "subscribe": ".subscription",
        },
    )
