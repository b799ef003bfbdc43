"""The contract: what generated code imports. It is the standard library's, and loads neither the runtime nor pydantic.

Programs import the same records from `toolgen.runtime`. The modules below are private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.actions import ActionRule as ActionRule
    from toolgen.contract.actions import ActionTables as ActionTables
    from toolgen.contract.actions import Visibility as Visibility
    from toolgen.contract.actions import only as only
    from toolgen.contract.actions import passed_on as passed_on
    from toolgen.contract.actions import renamed as renamed
    from toolgen.contract.actions import split_arg as split_arg
    from toolgen.contract.actions import without as without
    from toolgen.contract.binding import bound as bound
    from toolgen.contract.ident import Ident as Ident
    from toolgen.contract.lazy import offer as offer
    from toolgen.contract.lazy import reexport as reexport
    from toolgen.contract.records import ABSENT as ABSENT
    from toolgen.contract.records import Absent as Absent
    from toolgen.contract.records import Returns as Returns
    from toolgen.contract.records import ToolCallMeta as ToolCallMeta
    from toolgen.contract.records import ToolExecutor as ToolExecutor
    from toolgen.contract.records import ToolRequest as ToolRequest
    from toolgen.contract.records import ToolResult as ToolResult
    from toolgen.contract.records import ToolsetRegistration as ToolsetRegistration
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ActionRule": ".actions",
            "ActionTables": ".actions",
            "Visibility": ".actions",
            "only": ".actions",
            "passed_on": ".actions",
            "renamed": ".actions",
            "split_arg": ".actions",
            "without": ".actions",
            "bound": ".binding",
            "Ident": ".ident",
            "offer": ".lazy",
            "reexport": ".lazy",
            "ABSENT": ".records",
            "Absent": ".records",
            "Returns": ".records",
            "ToolCallMeta": ".records",
            "ToolExecutor": ".records",
            "ToolRequest": ".records",
            "ToolResult": ".records",
            "ToolsetRegistration": ".records",
        },
    )
