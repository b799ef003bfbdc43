"""Types of the tool `sandboxed_exec`, in `router`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class SandboxedExecArgs(ClosedModel):
    argv: list[str]


class SandboxedExecResult(ClosedModel):
    exit_code: int
    stdout: str
    stderr: str
