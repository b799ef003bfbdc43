"""What runs the tools of `crm.misfits`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.deep import DeepArgs, DeepResult
    from .types.default import DefaultArgs, DefaultResult
    from .types.lost import LostArgs, LostResult
    from .types.nullable import NullableArgs, NullableResult
    from .types.optional import OptionalArgs, OptionalResult
    from .types.other_type import OtherTypeArgs, OtherTypeResult
    from .types.renamed import RenamedArgs, RenamedResult


class Handlers(Protocol):
    """One method for each tool of `crm.misfits`, sync or async."""

    def deep(self, args: DeepArgs, meta: ToolCallMeta, /) -> Returns[DeepResult]:
        """The difference is further in."""
        ...

    def default(self, args: DefaultArgs, meta: ToolCallMeta, /) -> Returns[DefaultResult]:
        """A default on one side; another key could be what is missing."""
        ...

    def lost(self, args: LostArgs, meta: ToolCallMeta, /) -> Returns[LostResult]:
        """A field would be lost."""
        ...

    def nullable(self, args: NullableArgs, meta: ToolCallMeta, /) -> Returns[NullableResult]:
        """Null on one side only."""
        ...

    def optional(self, args: OptionalArgs, meta: ToolCallMeta, /) -> Returns[OptionalResult]:
        """A field that may be absent on one side."""
        ...

    def other_type(self, args: OtherTypeArgs, meta: ToolCallMeta, /) -> Returns[OtherTypeResult]:
        """A field of another type."""
        ...

    def renamed(self, args: RenamedArgs, meta: ToolCallMeta, /) -> Returns[RenamedResult]:
        """A required field has no counterpart."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`.

    There is no `executor_from`, which runs tools with the methods that they are bound to:
    - `deep` has no transform from its args to the payload of `Deep`
    - `default` has no transform from its args to the payload of `Default`
    - `lost` has no transform from its args to the payload of `Open`
    - `nullable` has no transform from its args to the payload of `Nullable`
    - `optional` has no transform from its args to the payload of `Optional`
    - `other_type` has no transform from its args to the payload of `Count`
    - `renamed` has no transform from its args to the payload of `Find`
    """
    return ToolsetRegistration(
        toolset="crm.misfits",
        handlers={
            idents.DEEP: handlers.deep,
            idents.DEFAULT: handlers.default,
            idents.LOST: handlers.lost,
            idents.NULLABLE: handlers.nullable,
            idents.OPTIONAL: handlers.optional,
            idents.OTHER_TYPE: handlers.other_type,
            idents.RENAMED: handlers.renamed,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="crm.misfits",
        executor=executor,
    )
