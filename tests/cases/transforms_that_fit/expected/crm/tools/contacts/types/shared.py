"""Types that several tools share, in `crm.contacts`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


class Email(ClosedModel):
    address: str
    primary: bool | None = None


class Contact(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    name: str
    emails: list[Email] | None = None
    tag: str | None = None
