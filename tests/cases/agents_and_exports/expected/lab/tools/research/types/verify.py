"""Types of the tool `verify`, in `lab.research`."""

from __future__ import annotations

from toolgen.runtime.models import ClosedModel


class VerifyArgs(ClosedModel):
    claim: str


class VerifyResult(ClosedModel):
    holds: bool
