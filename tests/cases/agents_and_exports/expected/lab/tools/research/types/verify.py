"""Types of the tool `verify`, in `lab.research`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel


class VerifyArgs(ClosedModel):
    """Args of `verify`: Check a claim."""

    claim: str


class VerifyResult(ClosedModel):
    """Result of `verify`: Check a claim."""

    holds: bool
