"""Types of the tool `new_registration`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class NewRegistrationArgs(ClosedModel):
    """Args of `new_registration`: A function of the toolset."""


NewRegistrationResult: TypeAlias = JsonValue
