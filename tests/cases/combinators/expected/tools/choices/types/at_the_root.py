"""Types of the tool `at_the_root`, in `choices`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from toolgen.runtime.codec.models import OpenModel


class AtTheRootArgs(OpenModel):
    """Args of `at_the_root`: A choice of whole objects."""

    path: str | None = None
    content: str | None = None
    url: str | None = None


class AtTheRootResultObject(OpenModel):
    ok: Literal[True]


AtTheRootResult: TypeAlias = AtTheRootResultObject | None
