"""What runs the tools of `attributes`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.empty import EmptyArgs, EmptyResult
    from .types.hidden import HiddenArgs, HiddenResult
    from .types.parameters import ParametersArgs, ParametersResult
    from .types.pydantic import PydanticArgs, PydanticResult


class Handlers(Protocol):
    """One method for each tool of `attributes`, sync or async."""

    def empty(self, args: EmptyArgs, meta: ToolCallMeta, /) -> Returns[EmptyResult]:
        """A field without a name."""
        ...

    def hidden(self, args: HiddenArgs, meta: ToolCallMeta, /) -> Returns[HiddenResult]:
        """Private and dunder names."""
        ...

    def parameters(self, args: ParametersArgs, meta: ToolCallMeta, /) -> Returns[ParametersResult]:
        """Names that generated functions use themselves."""
        ...

    def pydantic(self, args: PydanticArgs, meta: ToolCallMeta, /) -> Returns[PydanticResult]:
        """Names that a model has already."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="attributes",
        handlers={
            idents.EMPTY: handlers.empty,
            idents.HIDDEN: handlers.hidden,
            idents.PARAMETERS: handlers.parameters,
            idents.PYDANTIC: handlers.pydantic,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="attributes",
        executor=executor,
    )
