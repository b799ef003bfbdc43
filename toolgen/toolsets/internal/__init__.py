"""Handlers of the toolset `internal`: skills and memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import open_folder
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.execution import blocking
from toolgen.runtime.policy.paths import FileKind
from toolgen.toolsets.entries import entries_below, read_below
from toolgen.toolsets.generated.tools.internal import executor

if TYPE_CHECKING:
    import os

    from toolgen.toolsets.entries import Names

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta, ToolsetRegistration
    from toolgen.toolsets.generated.tools.internal import LoadSkillArgs, RecallMemoryArgs
    from toolgen.toolsets.internal.memory import Memories, Memory

    OnSkill: TypeAlias = "Callable[[Skill, ToolCallMeta], None]"
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
            check_call()
            self._on_skill(skill, meta)
        return {"name": skill.name, "instructions": skill.instructions}

    @blocking
    def recall_memory(self, args: RecallMemoryArgs, meta: ToolCallMeta, /) -> Any:
        """Add the long-term memories that match a query to the context, best first."""
        found = self._memory.recall(args.query, args.limit)
        if found and self._on_memories is not None:
            check_call()
            self._on_memories(found, meta)
        return {"memories": [{"name": each.name, "text": each.text, "truncated": each.truncated} for each in found]}


# Skills: instructions of a host for its agents, one folder each: `<folder>/<name>/SKILL.md`.

LONGEST: Final = 32_768
"""Maximum bytes of a skill's instructions. They are never truncated, because that could change their meaning."""

_FILE: Final = "SKILL.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill that was loaded."""

    name: str
    instructions: str


class Skills:
    """The skills in a folder, which need not exist. Links in it are not followed, and hidden folders are skipped."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder: Final = str(Path(folder).resolve())

    def names(self) -> list[str]:
        """List the names of all skills, sorted."""
        try:
            with open_folder(self._folder) as folder:
                return [
                    names[0]
                    for names, entry in entries_below(folder, _may_be_skill)
                    if names[1:] == (_FILE,) and entry.kind is FileKind.FILE
                ]
        except FileNotFoundError:
            return []

    def load(self, name: str) -> Skill:
        """Load a skill. Raises `CallFailed` with `skill_not_found`, `skill_unreadable`, `skill_too_large`."""
        names = self.names()
        if name not in names:
            raise _not_found(names, name)
        with open_folder(self._folder) as folder:
            content = read_below(folder, (name, _FILE), LONGEST + 1)
        if content is None:
            message = f"the skill {name!r} cannot be read"
            raise CallFailed(FailureKind.UNAVAILABLE, "skill_unreadable", message, "go on without it")
        if len(content) > LONGEST:
            message = f"the skill {name!r} is longer than {LONGEST} bytes"
            raise CallFailed(FailureKind.DOMAIN_REJECTION, "skill_too_large", message, "go on without it")
        return Skill(name=name, instructions=content.decode("utf-8-sig", errors="replace"))


def _may_be_skill(names: Names) -> bool:
    return len(names) == 1 and not names[0].startswith(".") and names[0].isprintable()


def _not_found(names: Sequence[str], name: str) -> CallFailed:
    meant = nearest(name, names)
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(names[:20]) or 'none'}"
    return CallFailed(FailureKind.DOMAIN_REJECTION, "skill_not_found", "there is no skill with that name", hint)
