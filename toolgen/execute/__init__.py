"""Executors that run the tools of a toolset.

`agent.executor` runs the tools of agents, `command.executor` command tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.execute import agent as agent
    from toolgen.execute import command as command
    from toolgen.execute.agent import AgentRun as AgentRun
    from toolgen.execute.command import CommandHost as CommandHost
    from toolgen.execute.specified import specified_executors as specified_executors
    from toolgen.execute.user_tools.loading import load_user_tools as load_user_tools
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AgentRun": ".agent",
            "CommandHost": ".command",
            "agent": ".agent",
            "command": ".command",
            "specified_executors": ".specified",
            "load_user_tools": ".user_tools.loading",
        },
    )
