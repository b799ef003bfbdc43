"""Requests of runs, and how runs end, as JSON: what an engine stores."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from toolgen.agents.loop import MAX_TURNS
from toolgen.agents.messages import Message, message_as_json, message_from_json
from toolgen.contract.records import NOTHING, Ancestor, ToolCallMeta

if TYPE_CHECKING:
    from collections.abc import Mapping

Json: TypeAlias = "dict[str, Any]"
"""A JSON object."""

DEFAULT_PLANNER: Final = "default"

_PLAIN: Final = (
    "run_id",
    "user",
    "session_id",
    "mode",
    "role",
    "agent_id",
    "parent_agent_id",
    "parent_run_id",
    "parent_tool_call_id",
    "max_turns",
    "timeout",
)


def new_run_id() -> str:
    """Return an id that cannot be guessed: it gives access to what the run did."""
    return f"run_{os.urandom(16).hex()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run of an agent, to be executed by any worker of an engine.

    `planner` is the name of one of the host's planners. `requested` are the idents that it may have at most, by default
    those of the agent. A run that takes more than `timeout` seconds is cancelled. A request with the id of a run that
    was started before starts nothing.
    """

    agent: str
    messages: tuple[Message, ...]
    run_id: str = field(default_factory=new_run_id)
    planner: str = DEFAULT_PLANNER
    user: str | None = None
    session_id: str | None = None
    mode: str = ""
    role: str = ""
    agent_id: str | None = None
    parent_agent_id: str | None = None
    parent_run_id: str | None = None
    parent_tool_call_id: str | None = None
    ancestors: tuple[Ancestor, ...] = ()
    requested: tuple[str, ...] | None = None
    attributes: Mapping[str, Any] = NOTHING
    max_turns: int = MAX_TURNS
    timeout: float | None = None

    def __post_init__(self) -> None:
        if self.max_turns < 1:
            raise ValueError(f"max_turns is {self.max_turns}; it must be at least 1")
        if self.timeout is not None and self.timeout <= 0:
            raise ValueError(f"timeout is {self.timeout}; it must be more than 0 seconds")

    @property
    def meta(self) -> ToolCallMeta:
        """The meta of its calls."""
        return ToolCallMeta(
            user=self.user,
            session_id=self.session_id,
            run_id=self.run_id,
            agent_id=self.agent_id or f"agent_{self.run_id}",
            parent_agent_id=self.parent_agent_id,
            parent_run_id=self.parent_run_id,
            parent_tool_call_id=self.parent_tool_call_id,
            ancestors=self.ancestors,
            attributes=self.attributes,
        )

    def as_json(self) -> Json:
        """Return it as a JSON object; fields without a value are left out."""
        fields: Json = {name: value for name in _PLAIN if (value := getattr(self, name)) not in (None, "")}
        fields["agent"] = self.agent  # which may have no name
        if self.planner != DEFAULT_PLANNER:
            fields["planner"] = self.planner
        fields["messages"] = [message_as_json(message) for message in self.messages]
        if self.ancestors:
            fields["ancestors"] = [asdict(ancestor) for ancestor in self.ancestors]
        if self.requested is not None:
            fields["requested"] = list(self.requested)
        if self.attributes:
            fields["attributes"] = dict(self.attributes)
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> RunRequest:
        """Return the request that `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        given = dict(fields)
        given["messages"] = tuple(message_from_json(message) for message in given["messages"])
        given["ancestors"] = tuple(Ancestor(**ancestor) for ancestor in given.get("ancestors", ()))
        if "requested" in given:
            given["requested"] = tuple(given["requested"])
        return cls(**given)


Stopped: TypeAlias = Literal["completed", "max_turns", "aborted", "tool_changed", "failed"]
"""Why a run ended.

It has an answer; it had none after its turns; it was aborted; a tool that it had asked for has changed, and does not
take the args any more; its planner failed.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """How a run ended. `value` is its answer, as JSON, if it was completed; else `reason` says what happened."""

    stopped: Stopped
    messages: tuple[Message, ...]
    turns: int
    value: Any = None
    reason: str = ""
    telemetry: Mapping[str, Any] = NOTHING

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return {
            "stopped": self.stopped,
            "messages": [message_as_json(message) for message in self.messages],
            "turns": self.turns,
            "value": self.value,
            "reason": self.reason,
            "telemetry": dict(self.telemetry),
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> RunEnd:
        """Return what `as_json` wrote. Raises KeyError or TypeError for anything else."""
        return cls(**{**fields, "messages": tuple(message_from_json(each) for each in fields["messages"])})
