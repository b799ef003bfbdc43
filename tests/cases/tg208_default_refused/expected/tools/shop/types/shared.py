"""Types that several tools share, in `shop`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field


Size: TypeAlias = Annotated[int, Field(ge=1)]
