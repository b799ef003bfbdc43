"""What runs the tools of `internal`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

    from .types.load_skill import LoadSkillArgs, LoadSkillResult
    from .types.recall_memory import RecallMemoryArgs, RecallMemoryResult


class Handlers(Protocol):
    """One method for each tool of `internal`, sync or async."""

    def load_skill(self, args: LoadSkillArgs, meta: ToolCallMeta, /) -> Returns[LoadSkillResult]:
        """Load the instructions of a skill into the context."""
        ...

    def recall_memory(self, args: RecallMemoryArgs, meta: ToolCallMeta, /) -> Returns[RecallMemoryResult]:
        """Bring the long-term memories that fit some words into the context, the best first."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="internal",
        handlers={
            idents.LOAD_SKILL: handlers.load_skill,
            idents.RECALL_MEMORY: handlers.recall_memory,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="internal",
        executor=executor,
    )
