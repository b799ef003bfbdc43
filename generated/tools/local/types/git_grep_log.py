"""Types of the tool `git_grep_log`, in `local`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class GitGrepLogArgs(ClosedModel):
    """Args of `git_grep_log`: Find commits whose message contains a word, newest first."""

    word: str
    limit: Annotated[int, Field(ge=1, le=100)] = 20


GitGrepLogResult: TypeAlias = str
