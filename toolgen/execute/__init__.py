"""Executors that run the tools of a toolset.

`command.executor` runs command tools, `specified_executors` all tools whose specs are enough to run them;
`HandlerModules` says which modules specs may name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.execute import command as command
    from toolgen.execute.command import CommandHost as CommandHost
    from toolgen.execute.python.modules import HandlerModules as HandlerModules
    from toolgen.execute.specified import specified_executors as specified_executors
    from toolgen.execute.user_tools import load_user_tools as load_user_tools
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CommandHost": ".command",
            "HandlerModules": ".python.modules",
            "command": ".command",
            "specified_executors": ".specified",
            "load_user_tools": ".user_tools",
        },
    )
