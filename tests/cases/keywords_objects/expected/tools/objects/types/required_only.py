"""Types of the tool `required_only`, in `objects`."""

from __future__ import annotations

from pydantic import JsonValue

from toolgen.runtime.models import OpenModel


class RequiredOnlyArgs(OpenModel):
    a: str
    b: JsonValue


class RequiredOnlyResult(OpenModel):
    y: str | None = None
    x: JsonValue
