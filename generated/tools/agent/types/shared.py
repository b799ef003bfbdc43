"""Types that several tools share, in `agent`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from toolgen.runtime.codec.models import ClosedModel


TemplateKind: TypeAlias = Literal["general", "change", "bug", "research"]

TaskState: TypeAlias = Literal["open", "done", "failed", "cancelled"]

StepState: TypeAlias = Literal["pending", "ready", "claimed", "done", "failed"]


class NewStep(ClosedModel):
    id_: Annotated[str, Field(min_length=1, max_length=64, alias="id")]
    """A short name, unique in its task."""
    title: Annotated[str, Field(min_length=1, max_length=200)]
    instructions: Annotated[str, Field(max_length=4000)] | None = None
    """What to do, for whoever claims the step."""
    needs: list[str] = Field(default_factory=list[str])
    """Ids of the steps that must be done before this one is ready."""


class Input(ClosedModel):
    step_id: str
    note: str


class Step(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    instructions: str | None = None
    needs: list[str]
    state: StepState
    claimed_by: str | None = None
    """The agent that works on it, or did."""
    note: str | None = None
    """What was last reported on it."""
    inputs: list[Input] | None = None
    """While it is claimed, what was reported on the steps that it needs."""


class Task(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    state: TaskState
    outcome: str | None = None
    """What was said when it was closed."""
    updated: str
    """When it was last changed, UTC, as RFC 3339 writes it."""
    steps: list[Step]


class TaskSummary(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    title: str
    state: TaskState
    updated: str
    steps: int
    """How many there are."""
    done: int
    """How many of them are done."""


class Definition(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    role: Literal["sub", "worker"]
    description: str | None = None


class Child(ClosedModel):
    agent_id: str
    run_id: str
    result: str
