"""Types of the tool `new_registration`, in `class.import`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.models import ClosedModel


class NewRegistrationArgs(ClosedModel):
    pass


NewRegistrationResult: TypeAlias = JsonValue
