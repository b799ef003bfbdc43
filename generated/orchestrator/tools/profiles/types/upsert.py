"""Types of the tool `upsert`, in `orchestrator.profiles`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel

from .shared import Profile


class UpsertArgs(ClosedModel):
    """Args of `upsert`: Create a profile, or update the one with the same name."""

    name: Annotated[str, Field(min_length=1)]
    """Full name."""
    email: str | None = None


UpsertResult: TypeAlias = Profile
