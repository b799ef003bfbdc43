"""Handlers of the toolset `internal`: skills and memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.runtime.catalog.execution import blocking
from toolgen.toolsets.generated.tools.internal import executor

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolsetRegistration
    from toolgen.toolsets.generated.tools.internal import LoadSkillArgs, RecallMemoryArgs
    from toolgen.toolsets.internal.memory import Memories, Memory
    from toolgen.toolsets.internal.skills import Skill, Skills

    OnSkill: TypeAlias = Callable[[Skill, ToolCallMeta], None]
    OnMemories: TypeAlias = Callable[[tuple[Memory, ...], ToolCallMeta], None]


class InternalTools:
    """Handlers of the tools of `internal`, which load skills and recall memories.

    `on_skill` and `on_memories` are called, in a thread, with what a call found, so that the host can add it to the
    context of the run. The context belongs to the host, so both tools are readonly.

    Results are JSON, not typed, because the toolset may be compiled into the host's package.
    """

    def __init__(
        self,
        *,
        skills: Skills,
        memory: Memories,
        on_skill: OnSkill | None = None,
        on_memories: OnMemories | None = None,
    ) -> None:
        self._skills: Final = skills
        self._memory: Final = memory
        self._on_skill = on_skill
        self._on_memories = on_memories

    def registration(self) -> ToolsetRegistration:
        """Return the registration for `Runtime(executors=[...])`."""
        return executor(self)

    @blocking
    def load_skill(self, args: LoadSkillArgs, meta: ToolCallMeta, /) -> Any:
        """Load the instructions of a skill into the context."""
        skill = self._skills.load(args.name)
        if self._on_skill is not None:
            self._on_skill(skill, meta)
        return {"name": skill.name, "instructions": skill.instructions}

    @blocking
    def recall_memory(self, args: RecallMemoryArgs, meta: ToolCallMeta, /) -> Any:
        """Add the long-term memories that match a query to the context, best first."""
        found = self._memory.recall(args.query, args.limit)
        if found and self._on_memories is not None:
            self._on_memories(found, meta)
        return {"memories": [{"name": each.name, "text": each.text, "truncated": each.truncated} for each in found]}
