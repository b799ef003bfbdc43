"""Types of the tool `run_command`, in `code`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class RunCommandArgs(ClosedModel):
    argv: list[str]
    cwd: str = "."
    timeout_ms: int = 120000


class RunCommandResult(ClosedModel):
    exit_code: int
    stdout: str
    stderr: str
