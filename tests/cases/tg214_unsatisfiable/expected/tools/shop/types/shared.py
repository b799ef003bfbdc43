"""Types that several tools share, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field


Code: TypeAlias = Annotated[str, Field(min_length=9, max_length=8)]
