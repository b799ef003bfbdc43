"""Types of the tool `open`, in `crm.contacts`."""

from __future__ import annotations

from toolgen.runtime.codec.models import OpenModel


class OpenArgs(OpenModel):
    """Args of `open`: Open objects keep their other keys."""

    a: str


class OpenResult(OpenModel):
    """Result of `open`: Open objects keep their other keys."""

    b: int | None = None
