"""Types of the tool `open`, in `mail`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class OpenArgs(OpenModel):
    """Args of `open`: From open args."""

    to: str
    account: str | None = None


OpenResult: TypeAlias = JsonValue
