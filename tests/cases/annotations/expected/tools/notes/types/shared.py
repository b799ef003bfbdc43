"""Types that several tools share, in `notes`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolgen.runtime.codec.models import OpenModel


class Note(OpenModel):
    """What somebody wrote.
    Several lines, "quotes" and a \\ backslash.
    """

    text: str
    """The text."""
    old_text: str | None = None
    """No longer used."""
    id_: Annotated[str | None, Field(alias="id")] = None
    secret: str | None = None
