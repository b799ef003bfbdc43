"""Skills: instructions of a host for its agents, one folder each: `<folder>/<name>/SKILL.md`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import open_folder
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.paths import FileKind

if TYPE_CHECKING:
    import os

    from toolgen.execute.paths import Folder

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
                return [entry.name for entry in folder.entries() if _is_skill(folder, entry.name)]
        except FileNotFoundError:
            return []

    def load(self, name: str) -> Skill:
        """Load a skill. Raises `CallFailed` with `skill_not_found`, `skill_too_large`."""
        names = self.names()
        if name not in names:
            raise _not_found(names, name)
        with open_folder(self._folder) as folder, folder.open_folder(name) as skill, skill.open_file(_FILE) as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            message = f"the skill {name!r} is longer than {LONGEST} bytes"
            raise CallFailed(FailureKind.DOMAIN_REJECTION, "skill_too_large", message, "go on without it")
        return Skill(name=name, instructions=content.decode("utf-8-sig", errors="replace"))


def _is_skill(folder: Folder, name: str) -> bool:
    if name.startswith(".") or not name.isprintable():
        return False
    with suppress(OSError), folder.open_folder(name) as inside:  # unreadable folders are not skills
        return any(entry.name == _FILE and entry.kind is FileKind.FILE for entry in inside.entries())
    return False


def _not_found(names: Sequence[str], name: str) -> CallFailed:
    meant = nearest(name, names)
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"there are {', '.join(names[:20]) or 'none'}"
    return CallFailed(FailureKind.DOMAIN_REJECTION, "skill_not_found", "there is no skill with that name", hint)
