"""Types of the tool `sandboxed_exec`, in `router`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class SandboxedExecArgs(ClosedModel):
    """Args of `sandboxed_exec`: Run a command in the sandbox."""

    argv: Annotated[list[str], Field(min_length=1)]
    """The program and its arguments, one each. No shell reads them."""


class SandboxedExecResult(ClosedModel):
    """Result of `sandboxed_exec`: Run a command in the sandbox."""

    exit_code: int
    stdout: str
    stderr: str
