"""Types of the tool `git_grep_log`, in `local`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.models import ClosedModel


class GitGrepLogArgs(ClosedModel):
    word: str
    limit: int = 20


GitGrepLogResult: TypeAlias = str
