"""What runs the tools of `objects`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.keys import KeysArgs, KeysResult
    from .types.maps import MapsArgs, MapsResult
    from .types.openness import OpennessArgs, OpennessResult
    from .types.required_only import RequiredOnlyArgs, RequiredOnlyResult


class Handlers(Protocol):
    """One method for each tool of `objects`, sync or async."""

    def keys(self, args: KeysArgs, meta: ToolCallMeta, /) -> Returns[KeysResult]:
        """Keys by pattern and by name."""
        ...

    def maps(self, args: MapsArgs, meta: ToolCallMeta, /) -> Returns[MapsResult]:
        """Objects without named fields."""
        ...

    def openness(self, args: OpennessArgs, meta: ToolCallMeta, /) -> Returns[OpennessResult]:
        """An open object keeps what it is given; a closed one refuses it."""
        ...

    def required_only(self, args: RequiredOnlyArgs, meta: ToolCallMeta, /) -> Returns[RequiredOnlyResult]:
        """A key can be required without being described."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="objects",
        handlers={
            idents.KEYS: handlers.keys,
            idents.MAPS: handlers.maps,
            idents.OPENNESS: handlers.openness,
            idents.REQUIRED_ONLY: handlers.required_only,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="objects",
        executor=executor,
    )
