"""Types of the tool `remember_shared`, in `router`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class RememberSharedArgs(ClosedModel):
    """Args of `remember_shared`: Store a memory record that every agent can read."""

    slug: str
    body: str


RememberSharedResult: TypeAlias = JsonValue
