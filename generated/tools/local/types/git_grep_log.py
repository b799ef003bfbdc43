"""Types of the tool `git_grep_log`, in `local`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class GitGrepLogArgs(ClosedModel):
    """Args of `git_grep_log`: Find commits whose message contains a word, newest first."""

    word: str
    limit: int = 20


GitGrepLogResult: TypeAlias = str
