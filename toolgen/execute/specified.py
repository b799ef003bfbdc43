"""Executors that specs are enough for: the server of a toolset, the URL or the app of an API, the handlers of tools.

Commands are run too, where the host says in which folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.execute.reach import check_reach
from toolgen.runtime.catalog.assignment import is_specified

if TYPE_CHECKING:
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.execute.command import CommandHost
    from toolgen.execute.python.modules import HandlerModules
    from toolgen.execute.reach import MayReach
    from toolgen.runtime.catalog.catalog import Catalog


def specified_executors(
    catalog: Catalog,
    modules: HandlerModules | None = None,
    *,
    may_reach: MayReach | None = None,
    commands: CommandHost | None = None,
) -> list[ToolsetRegistration]:
    """Return what runs the toolsets whose specs say how: `Runtime(catalog, executors=specified_executors(catalog))`.

    `modules` are those that specs may name; by default those beside the generated package, without what is installed.
    `may_reach` decides on each program that a spec starts, and on each URL to which it sends variables of the
    environment; without it, none of them is allowed. `commands` runs toolsets of kind `command`, which are left out
    without it.
    Raises what `specified_executor` raises.
    """
    found = (specified_executor(catalog, toolset, modules, may_reach, commands) for toolset in catalog.toolsets)
    return [each for each in found if each is not None]


def specified_executor(
    catalog: Catalog,
    toolset: str,
    modules: HandlerModules | None = None,
    may_reach: MayReach | None = None,
    commands: CommandHost | None = None,
) -> ToolsetRegistration | None:
    """Return what runs a toolset by its spec alone; None if the spec names neither a server, an API nor a handler.

    Commands need the settings of the host too: `commands`.

    Handlers are imported here. Raises `ExecutorError` for what cannot be used, such as a missing variable of the
    environment, and for what `may_reach` does not allow; ImportError for a missing extra; and what the code of handlers
    raises when it is imported.
    """
    if catalog.section("toolsets")[toolset].get("kind") == "command":
        if commands is None:
            return None
        from toolgen.execute.command import command_executor

        check_reach(catalog, toolset, may_reach)
        return command_executor(catalog, toolset, commands)
    check_reach(catalog, toolset, may_reach)
    if not is_specified(catalog, toolset):
        return None
    match catalog.section("toolsets")[toolset].get("kind"):
        case "mcp":
            from toolgen.execute.mcp import mcp_executor as mcp_executor

            return mcp_executor(catalog, toolset)
        case "http":
            from toolgen.execute.http import http_executor as http_executor

            return http_executor(catalog, toolset, modules=modules)
        case _:
            from toolgen.execute.python import python_executor as python_executor

            return python_executor(catalog, toolset, modules)
