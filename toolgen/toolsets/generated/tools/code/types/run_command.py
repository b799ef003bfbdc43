"""Types of the tool `run_command`, in `code`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class RunCommandArgs(ClosedModel):
    """Args of `run_command`: Run a program without a shell."""

    argv: list[str]
    cwd: str = "."
    timeout_ms: int = 120000


class RunCommandResult(ClosedModel):
    """Result of `run_command`: Run a program without a shell."""

    exit_code: int
    stdout: str
    stderr: str
    truncated: bool
