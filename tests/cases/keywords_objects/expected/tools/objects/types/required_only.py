"""Types of the tool `required_only`, in `objects`."""

from __future__ import annotations

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class RequiredOnlyArgs(OpenModel):
    """Args of `required_only`: A key can be required without being described."""

    a: str
    b: JsonValue


class RequiredOnlyResult(OpenModel):
    """Result of `required_only`: A key can be required without being described."""

    y: str | None = None
    x: JsonValue
