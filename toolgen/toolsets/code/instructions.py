"""Instruction files: the host is notified when an agent reads one, so that it can apply it from then on."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias

from toolgen.runtime.policy.paths import is_within

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.execute.paths import PathAccess
    from toolgen.runtime.policy.paths import PathAnswer, PathPolicy

INSTRUCTION_FILES: Final = frozenset({"AGENTS.md"})
LONGEST: Final = 65536
"""Maximum bytes of a file that are passed on."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """An instruction file that was read. `path` is relative to the project; `text` is its content, up to `LONGEST`."""

    path: str
    text: str


OnInstructions: TypeAlias = "Callable[[Instructions, ToolCallMeta], None]"


class InstructionFiles:
    """Calls `on_instructions` for each instruction file of the project, once per session."""

    def __init__(self, policy: PathPolicy, on_instructions: OnInstructions | None, names: Collection[str]) -> None:
        self._project = policy.project
        self._on_instructions = on_instructions
        self._names = frozenset(names)
        self._reported: set[tuple[str | None, str]] = set()
        self._lock = Lock()  # reads run in concurrent threads

    def seen(self, answer: PathAnswer, access: PathAccess, meta: ToolCallMeta) -> None:
        """Process a file that was read; other files are ignored."""
        folder, _, name = answer.resolved.rpartition("/")
        if self._on_instructions is None or name not in self._names or not is_within(folder, self._project):
            return
        if self._is_new((meta.session_id, answer.resolved)):
            with access.open_file(answer) as file:
                text = file.read(LONGEST).decode("utf-8-sig", errors="replace")
            self._on_instructions(Instructions(answer.resolved[len(self._project) :].lstrip("/"), text), meta)

    def _is_new(self, key: tuple[str | None, str]) -> bool:
        with self._lock:
            known = key in self._reported
            self._reported.add(key)
        return not known
