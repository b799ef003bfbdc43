"""Types that several tools share, in `drafts.nineteen`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field


Tag: TypeAlias = Annotated[str, Field(min_length=1)]
