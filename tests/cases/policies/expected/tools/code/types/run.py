"""Types of the tool `run`, in `code`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class RunArgs(ClosedModel):
    """Args of `run`: Run a program."""

    argv: list[str]
    cwd: str | None = None


RunResult: TypeAlias = JsonValue
