"""Executors, which run the tools of a toolset.

`specified_executors` runs all tools whose specs are enough to run them; each of the others one toolset of a
kind, as its host decides. The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.execute.command import CommandExecutor as CommandExecutor
    from toolgen.execute.command import CommandHost as CommandHost
    from toolgen.execute.command import command_executor as command_executor
    from toolgen.execute.http import HttpExecutor as HttpExecutor
    from toolgen.execute.http import HttpHost as HttpHost
    from toolgen.execute.http import http_executor as http_executor
    from toolgen.execute.mcp import McpExecutor as McpExecutor
    from toolgen.execute.mcp import McpHost as McpHost
    from toolgen.execute.mcp import McpServer as McpServer
    from toolgen.execute.mcp import mcp_executor as mcp_executor
    from toolgen.execute.mcp.server import AcceptChanges as AcceptChanges
    from toolgen.execute.mcp.server import OnDrift as OnDrift
    from toolgen.execute.mcp.sign_in import Redirect as Redirect
    from toolgen.execute.mcp.sign_in import mcp_sign_in as mcp_sign_in
    from toolgen.execute.mcp.tokens import LoginStore as LoginStore
    from toolgen.execute.paths import PathAccess as PathAccess
    from toolgen.execute.paths import path_failures as path_failures
    from toolgen.execute.processes import FinishedProcess as FinishedProcess
    from toolgen.execute.processes import run_process as run_process
    from toolgen.execute.python import PythonExecutor as PythonExecutor
    from toolgen.execute.python import python_executor as python_executor
    from toolgen.execute.python.modules import ForeignModule as ForeignModule
    from toolgen.execute.python.modules import HandlerModules as HandlerModules
    from toolgen.execute.specified import specified_executors as specified_executors
    from toolgen.execute.user_tools import load_user_tools as load_user_tools
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "specified_executors": ".specified",
            "CommandExecutor": ".command",
            "CommandHost": ".command",
            "command_executor": ".command",
            "HttpExecutor": ".http",
            "HttpHost": ".http",
            "http_executor": ".http",
            "McpExecutor": ".mcp",
            "McpHost": ".mcp",
            "McpServer": ".mcp",
            "mcp_executor": ".mcp",
            "AcceptChanges": ".mcp.server",
            "OnDrift": ".mcp.server",
            "LoginStore": ".mcp.tokens",
            "Redirect": ".mcp.sign_in",
            "mcp_sign_in": ".mcp.sign_in",
            "PythonExecutor": ".python",
            "python_executor": ".python",
            "ForeignModule": ".python.modules",
            "HandlerModules": ".python.modules",
            "load_user_tools": ".user_tools",
            "PathAccess": ".paths",
            "path_failures": ".paths",
            "FinishedProcess": ".processes",
            "run_process": ".processes",
        },
    )
