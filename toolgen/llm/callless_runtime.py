"""A runtime for runs that make no calls: what shows tools to models needs one, and its figures too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from toolgen.contract.records import ToolsetRegistration
from toolgen.runtime.calls.runtime import Runtime
from toolgen.runtime.policy.permission import deny_all

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolRequest
    from toolgen.runtime.catalog.catalog import Catalog


def idle_runtime(catalog: Catalog) -> Runtime:
    """Build a runtime for runs that make no calls; every toolset has an executor that raises."""
    executors = [ToolsetRegistration(toolset=toolset, executor=_Idle()) for toolset in catalog.toolsets]
    return Runtime(catalog, executors=executors, permission=deny_all)


class _Idle:
    """The executor of a toolset in a run that makes no calls."""

    def execute(self, request: ToolRequest, _meta: ToolCallMeta, /) -> NoReturn:
        raise AssertionError(f"{request.name} was called in a run that makes no calls")
