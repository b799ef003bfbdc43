"""Types that several tools share, in `agent`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.models import ClosedModel


class Step(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    state: Literal["pending", "ready", "claimed", "done", "failed"]
    needs: list[str]


class Task(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    state: Literal["open", "done", "failed", "cancelled"]
    steps: list[Step]


class Child(ClosedModel):
    agent_id: str
    run_id: str
    result: str


StepState: TypeAlias = Literal["pending", "ready", "claimed", "done", "failed"]
