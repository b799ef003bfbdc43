"""Types of the tool `git_log`, in `local`."""

from __future__ import annotations

from typing import TypeAlias

from toolgen.runtime.codec.models import ClosedModel


class GitLogArgs(ClosedModel):
    """Args of `git_log`: The log of a branch."""

    branch: str
    count: int = 10


GitLogResult: TypeAlias = str
