"""Types of the tool `default`, in `crm.misfits`."""

from __future__ import annotations

from toolgen.runtime.codec.models import ClosedModel, OpenModel


class DefaultArgs(ClosedModel):
    """Args of `default`: A default on one side; another key could be what is missing."""

    size: int | None = None


class DefaultResult(OpenModel):
    """Result of `default`: A default on one side; another key could be what is missing."""

    a: str | None = None
    b: str | None = None
    c: int | None = None
