"""Types of the tool `sandboxed_exec`, in `router`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class SandboxedExecArgs(ClosedModel):
    """Args of `sandboxed_exec`: Run a command in the sandbox."""

    argv: list[str]
    """The program and its arguments, one each. No shell reads them."""


class SandboxedExecResult(ClosedModel):
    """Result of `sandboxed_exec`: Run a command in the sandbox."""

    exit_code: int
    stdout: str
    stderr: str
