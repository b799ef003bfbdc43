"""`internal`, as the agent `support` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.contract.records import ToolExecutor, ToolsetRegistration

    from .....tools.internal import (
        LOAD_SKILL as LOAD_SKILL,
        RECALL_MEMORY as RECALL_MEMORY,
        Handlers as Handlers,
        LoadSkillArgs as LoadSkillArgs,
        LoadSkillResult as LoadSkillResult,
        Memory as Memory,
        RecallMemoryArgs as RecallMemoryArgs,
        RecallMemoryResult as RecallMemoryResult,
        codecs as codecs,
        executor as executor,
        new_load_skill_call as new_load_skill_call,
        new_recall_memory_call as new_recall_memory_call,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".....tools.internal",
            "LOAD_SKILL": ".....tools.internal",
            "LoadSkillArgs": ".....tools.internal",
            "LoadSkillResult": ".....tools.internal",
            "Memory": ".....tools.internal",
            "RECALL_MEMORY": ".....tools.internal",
            "RecallMemoryArgs": ".....tools.internal",
            "RecallMemoryResult": ".....tools.internal",
            "codecs": ".....tools.internal",
            "executor": ".....tools.internal",
            "new_load_skill_call": ".....tools.internal",
            "new_recall_memory_call": ".....tools.internal",
        },
    )


def new_support_internal_toolset_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run `internal` for `support` with one executor."""
    from .....tools.internal import new_registration

    return new_registration(executor)
