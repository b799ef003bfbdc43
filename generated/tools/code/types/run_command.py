"""Types of the tool `run_command`, in `code`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class RunCommandArgs(ClosedModel):
    """Args of `run_command`: Run a program without a shell."""

    argv: Annotated[list[str], Field(min_length=1)]
    cwd: str = "."
    timeout_ms: Annotated[int, Field(ge=1)] = 120000


class RunCommandResult(ClosedModel):
    """Result of `run_command`: Run a program without a shell."""

    exit_code: int
    stdout: str
    stderr: str
    truncated: bool
