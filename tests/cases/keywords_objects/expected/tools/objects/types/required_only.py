"""Types of the tool `required_only`, in `objects`."""

from __future__ import annotations

from toolgen.runtime.models import OpenModel


class RequiredOnlyArgs(OpenModel):
    a: str


class RequiredOnlyResult(OpenModel):
    y: str | None = None
