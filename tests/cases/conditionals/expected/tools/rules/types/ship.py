"""Types of the tool `ship`, in `rules`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import OpenModel


class ShipArgs(OpenModel):
    """Args of `ship`: Abroad needs a country, at home a postcode."""

    abroad: bool
    country: str | None = None
    postcode: str | None = None


ShipResult: TypeAlias = JsonValue
