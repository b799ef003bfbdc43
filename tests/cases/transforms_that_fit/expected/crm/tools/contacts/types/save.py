"""Types of the tool `save`, in `crm.contacts`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Contact, Email


class SaveArgs(ClosedModel):
    """Args of `save`: The tenant comes from the call's context; the trace is left out; a default fills what is required."""

    name: Annotated[str, Field(min_length=1)]
    emails: list[Email] | None = None
    tag: str | None = None
    limit: int = 10


SaveResult: TypeAlias = Contact
