"""Types of the tool `close`, in `tickets`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class CloseArgs(ClosedModel):
    """Args of `close`: Close a ticket."""

    ticket: str


CloseResult: TypeAlias = JsonValue
