"""Types of the tool `verify`, in `orchestrator.research`."""

from __future__ import annotations

from typing import Literal

from toolgen.runtime.codec.models import ClosedModel

from .....shared_types import Source


class VerifyArgs(ClosedModel):
    """Args of `verify`: Check one claim against its sources."""

    claim: str
    sources: list[Source]


class VerifyResult(ClosedModel):
    """Result of `verify`: Check one claim against its sources."""

    verdict: Literal["holds", "fails", "open"]
    reason: str
