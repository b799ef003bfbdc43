"""Types of the tool `open`, in `crm.contacts`."""

from __future__ import annotations

from toolgen.runtime.models import OpenModel


class OpenArgs(OpenModel):
    a: str


class OpenResult(OpenModel):
    b: int | None = None
